import { once } from "node:events";
import { join } from "node:path";

import { findRuns, readRun } from "@envs/records/node";
import { expect, test, vi } from "vitest";

import { type AgentFolder, agentFolder, type Upstream } from "./support/agents/processes.ts";
import { envs, type Finished, finished, start, temporaryFolder } from "./support/command-line.ts";

const agent = join(import.meta.dirname, "./support/agents/agent.ts");

/** The reward of a reversed text: its similarity and its form. */
const perfect = 1.2;

/** A test's folder, a model server that replies, and the evaluation of an agent that asks this server. */
async function evaluation(options: readonly string[]) {
  const folder = await temporaryFolder();
  const processes = await agentFolder(folder.path);
  const upstream = await processes.startUpstream();
  const save = ["--save", join(folder.path, "runs")];
  const model = ["-m", `agent:${agent}@small`, "--base-url", upstream.url];
  const size = ["--config", '{"maxLength":30}', ...options];
  const path = async (): Promise<string> => (await findRuns(save[1]!))[0]!;
  return {
    ...processes,
    upstream,
    path,
    run: ["eval", "reverse-text", ...model, ...size, ...save, "--json"],
    resume: ["eval", "--resume", ...save, "--json"],
    rollouts: async () => (await readRun(await path())).rollouts,
    async [Symbol.asyncDispose]() {
      await upstream.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Waits until `count` requests wait for the upstream, which keeps its replies. */
async function inTheMiddle({ requests }: Upstream, count: number): Promise<void> {
  await vi.waitUntil(() => requests() >= count, { timeout: 120_000, interval: 10 });
}

async function startHeld(
  { hold, upstream, variables }: AgentFolder & { readonly upstream: Upstream },
  args: readonly string[],
  requests: number,
): Promise<{ readonly child: ReturnType<typeof start>; readonly end: Promise<Finished> }> {
  await hold();
  const child = start(args, variables);
  const end = finished(child);
  await inTheMiddle(upstream, requests);
  return { child, end };
}

test("fails the rollout of a killed agent, and plays its siblings", async () => {
  await using evaluated = await evaluation(["-n", "6", "-r", "1", "-c", "6"]);
  const { end } = await startHeld(evaluated, evaluated.run, 6);
  const [killed] = [...(await evaluated.processes()).keys()];
  process.kill(killed!, "SIGKILL");
  await evaluated.release();
  const { stdout, code } = await end;
  expect(JSON.parse(stdout)).toMatchObject({ counts: { total: 6, scored: 5, failed: 1 } });
  expect(code).toBe(1);
  const rollouts = await evaluated.rollouts();
  expect(rollouts.filter(({ status }) => status === "failed")).toMatchObject([
    { error: { code: "agent", message: expect.stringContaining("was killed by SIGKILL") } },
  ]);
  expect(
    rollouts.filter((each) => each.status === "scored" && each.reward === perfect),
  ).toHaveLength(5);
  await evaluated.allEnded();
});

test("plays the rollout of a killed agent again with --retry", async () => {
  await using evaluated = await evaluation(["-n", "2", "-r", "1", "--retry", "agent:1"]);
  const { end } = await startHeld(evaluated, evaluated.run, 2);
  process.kill([...(await evaluated.processes()).keys()][0]!, "SIGKILL");
  await evaluated.release();
  expect(JSON.parse((await end).stdout)).toMatchObject({
    counts: { total: 2, scored: 2 },
    reward: { mean: perfect },
  });
  await evaluated.allEnded();
});

test("plays each rollout once, and ends its processes, when the gateway is killed three times", async () => {
  await using evaluated = await evaluation(["-n", "10", "-r", "2", "-c", "4"]);
  let args = evaluated.run;
  for (let killed = 0; killed < 3; killed += 1) {
    // Each rollout has two requests: some rollouts are complete, and four are in the middle of a call.
    const begun = evaluated.upstream.requests();
    const child = start(args, evaluated.variables);
    const exit = once(child, "exit");
    await inTheMiddle(evaluated.upstream, begun + 8);
    const before = evaluated.upstream.requests();
    await evaluated.hold();
    await inTheMiddle(evaluated.upstream, before + 2);
    child.kill("SIGKILL");
    await exit;
    expect(child.signalCode, "the run ended before the kill").toBe("SIGKILL");
    await evaluated.allEnded();
    await evaluated.release();
    args = evaluated.resume;
  }
  const last = await envs(evaluated.resume, evaluated.variables);
  expect(last).toMatchObject({ stderr: "", code: 0 });
  expect(JSON.parse(last.stdout)).toMatchObject({ counts: { total: 20, scored: 20 } });
  const rollouts = await evaluated.rollouts();
  const keys = rollouts.map(({ exampleKey, rolloutIndex }) => `${exampleKey} ${rolloutIndex}`);
  expect(new Set(keys).size).toBe(20);
  for (const rollout of rollouts) {
    expect(rollout).toMatchObject({ reward: perfect });
    expect(rollout.trajectory.flatMap(({ calls = [] }) => calls)).toHaveLength(2);
  }
  await evaluated.allEnded();
});

test("waits for an upstream that was killed and comes back", async () => {
  await using evaluated = await evaluation(["-n", "6", "-r", "1", "-c", "3"]);
  const { upstream } = evaluated;
  const child = start(evaluated.run, evaluated.variables);
  const end = finished(child);
  await inTheMiddle(upstream, 3);
  await evaluated.hold();
  await inTheMiddle(upstream, upstream.requests() + 1);
  await upstream.kill();
  await evaluated.release();
  await using again = await evaluated.startUpstream(upstream.port);
  expect(JSON.parse((await end).stdout)).toMatchObject({ counts: { total: 6, scored: 6 } });
  expect(again.requests()).toBeGreaterThan(0);
  const calls = (await evaluated.rollouts()).flatMap(({ trajectory }) =>
    trajectory.flatMap((turn) => turn.calls ?? []),
  );
  expect(calls).toHaveLength(12);
  await evaluated.allEnded();
});

test("fails the rollouts of an upstream that stays away", async () => {
  await using evaluated = await evaluation(["-n", "8", "-r", "1", "-c", "2"]);
  const { upstream } = evaluated;
  const end = finished(start(evaluated.run, evaluated.variables));
  await inTheMiddle(upstream, 6);
  await upstream.kill();
  const first = await end;
  const failed = (await evaluated.rollouts()).filter(({ status }) => status === "failed");
  expect(failed.length).toBeGreaterThan(1);
  for (const rollout of failed) expect(rollout).toMatchObject({ error: { code: "model" } });
  expect(JSON.parse(first.stdout)).toMatchObject({
    counts: { total: 8, scored: 8 - failed.length, failed: failed.length },
  });
  await evaluated.allEnded();

  await using _ = await evaluated.startUpstream(upstream.port);
  const args = ["eval", "--resume", await evaluated.path(), "--json"];
  const again = await envs(args, evaluated.variables);
  expect(JSON.parse(again.stdout)).toMatchObject({ counts: { total: 8, scored: 8 } });
  expect(await evaluated.rollouts()).toHaveLength(8);
});
