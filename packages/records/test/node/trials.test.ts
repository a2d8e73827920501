import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { readTrials, type Trial } from "../../src/node/trials.ts";

const job = join(import.meta.dirname, "../fixtures/harbor-job");

async function trialsOf(path: string): Promise<readonly Trial[]> {
  const read = await Array.fromAsync(readTrials(path));
  return read.map((trial) => {
    if ("problem" in trial) throw new Error(trial.problem);
    return trial;
  });
}

test("reads the trials of a job as rollouts of its tasks", async () => {
  const trials = await trialsOf(job);
  const rollouts = trials.map(({ rollout }) => rollout);
  expect(trials.map(({ model }) => model)).toEqual(Array(4).fill("terminus-2@acme/small"));
  expect(rollouts.map(({ rolloutIndex }) => rolloutIndex)).toEqual([0, 1, 2, 3]);
  for (const rollout of rollouts)
    expect(rollout).toMatchObject({
      environment: "arithmetic",
      exampleKey: "acme/sums",
      exampleIndex: 0,
      timing: { setup: { end: 4000 }, generation: { end: 20_000 }, scoring: { end: 30_000 } },
    });
  expect(rollouts[0]).toMatchObject({
    status: "scored",
    reward: 1,
    scores: { reward: 1, style: 0.5 },
    stopReason: "end",
    usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 10 },
  });
});

test("a trial whose verifier failed is a failed rollout, and an agent that ran out of time is scored", async () => {
  const [, failed, late] = (await trialsOf(job)).map(({ rollout }) => rollout);
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "score", message: "VerifierTimeoutError: after 600 s" },
  });
  expect(late).toMatchObject({
    status: "scored",
    reward: 0.5,
    scores: { tests: 0, lint: 1 },
    stopReason: "AgentTimeoutError",
    isTruncated: true,
    completion: [],
  });
});

test("keeps what the agent did: calls, results, pictures, tokens, sub-agents", async () => {
  const [trial] = await trialsOf(job);
  const { prompt, completion, trajectory, branches } = trial!.rollout;
  expect(prompt).toEqual([{ role: "user", content: "What is 2 + 3? Write it to /app/sum.txt." }]);
  expect(completion.map(({ role }) => role)).toEqual([
    "assistant",
    "tool",
    "user",
    "user",
    "assistant",
  ]);
  expect(completion[0]).toMatchObject({
    reasoning_content: "Is the file there?",
    tool_calls: [{ id: "call-1", function: { name: "bash", arguments: '{"command":"ls /app"}' } }],
  });
  expect(completion[2]!.content).toEqual([
    { type: "text", text: "The screen:" },
    {
      type: "image_url",
      image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
    },
  ]);
  expect(trajectory[0]).toMatchObject({
    finish: "tool_calls",
    usage: { inputTokens: 40, outputTokens: 3, cacheReadTokens: 10 },
    tokens: { promptIds: [1, 2], completionIds: [3, 4, 5], completionLogprobs: [-0.1, -0.2, -0.3] },
  });
  expect(branches).toMatchObject([
    {
      turn: 0,
      subModel: "helper",
      messages: [{ role: "user", content: "Add 2 and 3." }],
      message: { content: "5" },
    },
  ]);
});

test("joins the steps of a task, and the files that continue a trajectory", async () => {
  const { rollout } = (await trialsOf(job))[3]!;
  const texts = [...rollout.prompt, ...rollout.completion].map(({ content }) => content);
  expect(texts.slice(1)).toEqual(["Hm.", "Five.", "And 4 + 4?", "Eight."]);
  expect(rollout.usage).toMatchObject({ inputTokens: 20, outputTokens: 2 });
});

test("does not read a picture outside the folder of its trajectory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-trials-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const picture = join(job, "sums__1/agent/screen.png");
  await mkdir(join(folder, "inside"));
  await cp(picture, join(folder, "secret.png"));
  await symlink(join(folder, "secret.png"), join(folder, "inside/link.png"));
  const parts = ["../secret.png", "link.png", join(folder, "secret.png"), "missing.png"].map(
    (path) => ({ type: "image", source: { media_type: "image/png", path } }),
  );
  const file = join(folder, "inside/trajectory.json");
  await writeFile(
    file,
    JSON.stringify({
      schema_version: "ATIF-v1.6",
      agent: { name: "painter", version: "1" },
      steps: [{ step_id: 1, source: "user", message: parts }],
    }),
  );
  const [{ rollout, model }] = (await trialsOf(file)) as [Trial];
  expect(model).toBe("painter");
  expect(JSON.stringify(rollout.prompt)).not.toContain("base64");
  expect(rollout).toMatchObject({ status: "failed", environment: "inside" });
});

test("names what is not a trajectory", async () => {
  expect(await Array.fromAsync(readTrials(join(job, "sums__1/agent/screen.png")))).toEqual([
    { path: join(job, "sums__1/agent/screen.png"), problem: expect.stringContaining("ATIF-v1.0") },
  ]);
  await expect(Array.fromAsync(readTrials(join(job, "absent")))).rejects.toThrow("Cannot read");
});
