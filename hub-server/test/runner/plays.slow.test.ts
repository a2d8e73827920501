import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { evaluate, policy } from "@envs/core";
import { beforeAll, describe, expect, it, vi } from "vitest";

import tictactoe from "../../../environments/tictactoe/src/index.ts";
import { publishEnvironment } from "../rescoring/published-environment.ts";
import { anyDatabase } from "../support/hub.ts";
import { makePerson } from "../support/person.ts";
import { pushRun, testRun } from "../support/runs.ts";
import { sharedHub } from "../support/shared-hub.ts";
import { playStage, type PushedRun } from "./play-stage.ts";

const server = sharedHub(anyDatabase, {
  HUB_LIMITS: "off",
  HUB_PLAY_SECONDS: "600",
  HUB_REPLAY_SECONDS: "6000",
  HUB_PLAY_WORKERS: "2",
  HUB_PLAY_ROLLOUTS: "100",
});
const { ada, bob, carol, push, clientOf, resultOf, playedRun } = playStage(server);

describe("a run of a policy", () => {
  let name = "";
  let id = "";
  let played = "";

  beforeAll(async () => {
    ({ name, id } = await push());
    expect(await clientOf().readPlay({ run: id })).toEqual({ outcome: "possible" });
    expect(await clientOf(bob).requestPlay({ run: id })).toEqual({ outcome: "waiting" });
    played = await playedRun(id);
  });

  it("is reproduced by the hub's own declared run, although the replies are equal", async () => {
    const run = await clientOf().readRun({ run: played });
    expect(run).toMatchObject({
      owner: "hub",
      recipe: { model: "policy:even", driver: "the hub", details: { reproduces: id } },
      summary: { counts: { total: 20, scored: 20 }, examples: 10, reward: { mean: 1 } },
    });
    expect(run.badges[0]).toMatchObject({ name: "declared" });
    expect((await clientOf().readRun({ run: id })).badges.at(-1)).toMatchObject({
      name: "reproduced",
      evidence: { by: ["hub"], runs: [{ run: played }] },
    });
    expect((await server.request("/user/hub")).status).toBe(200);
  });

  it("is not played twice when a hub crashes after its run was complete", async () => {
    await server.hub.database
      .updateTable("replay_jobs")
      .set({ state: "running", result: null, lease_until: new Date(0) })
      .where("played_run_id", "=", id)
      .execute();
    expect(await playedRun(id)).toBe(played);
    const { items } = await clientOf().listRuns({ name });
    expect(items.map((run) => run.owner).toSorted()).toEqual(["bob", "hub"]);
    const { declared } = await clientOf().readLeaderboard({ name });
    expect(declared).toMatchObject([{ owner: "hub", declared: 1, completed: 1 }]);
  });

  it("is played again with the same declaration when a hub crashes before", async () => {
    await clientOf(bob).deleteRun({ run: id });
    const again = await push();
    await clientOf(ada).requestPlay({ run: again.id });
    const first = await playedRun(again.id);
    const { database } = server.hub;
    await database.deleteFrom("runs").where("id", "=", first).execute();
    await database.updateTable("declarations").set({ completed_at: null }).execute();
    await database
      .updateTable("replay_jobs")
      .set({ state: "running", result: null, lease_until: new Date(0) })
      .where("played_run_id", "=", again.id)
      .execute();
    expect(await playedRun(again.id)).not.toBe(first);
    const { declared } = await clientOf().readLeaderboard({ name: again.name });
    expect(declared).toMatchObject([{ owner: "hub", declared: 1, completed: 1 }]);
  });
});

it("survives kill -9 of the process that plays, and plays the run when it is requested again", async () => {
  const advice = `(() => { for (let step = 0; step < 3e5; step += 1); return "move 2"; })()`;
  const { id } = await push({ bundle: { advice } });
  await clientOf(bob).requestPlay({ run: id });
  await vi.waitUntil(
    async () => {
      for (const child of await bundleProcesses()) killIfAlive(child);
      return (await clientOf().readPlay({ run: id })).outcome !== "waiting";
    },
    { timeout: 120_000, interval: 50 },
  );
  expect(await resultOf(id)).toMatchObject({
    outcome: "failed",
    reason: "The process of the bundle ended unexpectedly.",
  });
  await clientOf(bob).requestPlay({ run: id });
  expect((await clientOf().readRun({ run: await playedRun(id) })).summary.counts.scored).toBe(20);
});

/** The process may end after it was listed. */
function killIfAlive(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}

/** The processes of bundles that this test's hub has started. */
async function bundleProcesses(): Promise<readonly number[]> {
  const list = ["-o", "pid=,args=", "--ppid", `${process.pid}`];
  const { stdout } = await promisify(execFile)("ps", list);
  const lines = stdout.split("\n").filter((each) => each.includes("sandbox/worker.ts"));
  return lines.map((line) => Number.parseInt(line, 10));
}

it("plays only for the run's owner and users who may publish the package", async () => {
  const { id } = await push();
  await expect(clientOf(carol).requestPlay({ run: id })).rejects.toMatchObject({
    code: "forbidden",
  });
  expect(await clientOf(ada).requestPlay({ run: id })).toEqual({ outcome: "waiting" });
  await expect(clientOf(bob).requestPlay({ run: id })).resolves.toEqual({ outcome: "waiting" });
});

it.each(["30-39", "key=e39,30-38", "index >= 30"])(
  "plays the examples that the run selected by %s",
  async (select) => {
    const { id } = await push({ details: { select } });
    await clientOf(bob).requestPlay({ run: id });
    const run = await clientOf().readRun({ run: await playedRun(id) });
    expect(run.recipe.details).toMatchObject({ select, reproduces: id });
    expect(run.badges.map((badge) => badge.name)).toContain("declared");
    const { items } = await clientOf().listRollouts({ run: run.id, limit: 100 });
    const played = new Set(items.map(({ exampleIndex }) => exampleIndex));
    expect([...played].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, index) => 30 + index),
    );
  },
);

it("states why it cannot play a selection", async () => {
  const { id } = await push({ details: { select: "key=unknown,0-8" } });
  await clientOf(bob).requestPlay({ run: id });
  expect(await resultOf(id)).toMatchObject({
    outcome: "failed",
    code: "bundle",
    reason: expect.stringMatching(/none of the 40 examples has the key "unknown"/) as string,
  });
});

it.each([
  ["a model that the hub lacks", { model: "gpt-large" }, /does not play "gpt-large"/],
  ["a policy that the package lacks", { model: "policy:odd" }, /has no policy odd/],
  ["a judge", { details: { judge: "gpt" } }, /asks a judge/],
  ["too many rollouts", { details: { rolloutsPerExample: 11 } }, /110 rollouts.* at most 100/],
] satisfies [string, PushedRun, RegExp][])("refuses %s with the reason", async (_, run, reason) => {
  const { id } = await push(run);
  expect(await clientOf().readPlay({ run: id })).toEqual({
    outcome: "impossible",
    reason: expect.stringMatching(reason) as string,
  });
  await expect(clientOf(bob).requestPlay({ run: id })).rejects.toMatchObject({
    code: "play-refused",
  });
});

it("reproduces a run of a real environment from its page, and rescores the result", async () => {
  const dora = await makePerson(server, "dora");
  const name = await publishEnvironment(server, dora, { name: "tictactoe" });
  const environment = tictactoe({ opponent: "first-free" });
  const { rollouts } = await evaluate(environment, {
    model: policy("random"),
    examples: 3,
    rolloutsPerExample: 2,
  });
  const { config } = environment;
  const details = { examples: 3, rolloutsPerExample: 2 };
  const fields = { config, model: "policy:random", details };
  const id = await pushRun(server, dora, await testRun(server, name, rollouts, fields));
  const tab = await dora.signIn();
  await tab.open(`/run/${id}`);
  expect((await tab.press("Let the hub play it")).text).toContain("The hub will play this run.");
  const played = await playedRun(id);
  expect((await tab.open(`/run/${id}`)).text).toContain("Repeated by hub");
  const { summary, recipe } = await clientOf().readRun({ run: played });
  expect(summary.counts).toMatchObject({ total: 6, scored: 6 });
  expect(summary.turns.mean).toBeGreaterThan(2);
  expect(recipe).toMatchObject({ config, split: null });
  await vi.waitFor(
    async () =>
      expect(await clientOf().readRescoring({ run: played })).toMatchObject({
        outcome: "rescored",
      }),
    { timeout: 600_000, interval: 500 },
  );
});
