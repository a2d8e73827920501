import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readRun } from "@envs/records/node";
import { expect, onTestFinished, test } from "vitest";

const user = (content: string) => ({ role: "user", content });
const reply = (content: string) => ({ role: "assistant", content });

/** An episode as verifiers 0.4 writes it, with a second reply to message 2 beside the conversation. */
const trace = {
  version: 1,
  id: "t1",
  task: { type: "Sum", key: "k1", data: { idx: 3, prompt: "1 + 1?", answer: "2" } },
  agent: { name: "agent" },
  nodes: [
    { parent: null, message: user("1 + 1?"), token_ids: [1, 2], mask: [false, false] },
    {
      parent: 0,
      message: reply("Let me ask."),
      sampled: true,
      token_ids: [3, 4, 5],
      mask: [false, true, true],
      logprobs: [-0.1, -0.2],
    },
    { parent: 1, message: user("Is it 2?") },
    { parent: 2, message: reply("Yes."), sampled: true },
    { parent: 1, message: user("So?") },
    { parent: 4, message: reply("2"), sampled: true },
  ],
  calls: [
    {
      node: 1,
      model: "m",
      finish_reason: "stop",
      usage: { prompt_tokens: 2, completion_tokens: 2, cached_input_tokens: 3 },
    },
    {
      node: 3,
      model: "small",
      finish_reason: "stop",
      usage: { prompt_tokens: 9, completion_tokens: 1 },
    },
    { node: 5, model: "m", finish_reason: "length" },
  ],
  rewards: { right: { score: 1, weight: 0.5 }, late: null },
  metrics: { turns: 2 },
  ok: true,
  stop_condition: "max_turns",
};

async function run(lines: readonly string[]): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "sum--m--bash--"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  await writeFile(join(path, "traces.jsonl"), lines.join("\n"));
  return path;
}

const episode = (...traces: readonly object[]) =>
  JSON.stringify({ id: "e", env: { id: "sum", name: "sum" }, ok: true, traces });

test("reads the last conversation of a trace, and replies beside it as branches", async () => {
  const { metadata, rollouts } = await readRun(await run([episode(trace), episode(trace)]));
  const [rollout, again] = rollouts;
  expect(metadata).toMatchObject({ env_id: "sum", num_examples: 1, rollouts_per_example: 2 });
  expect(again?.rolloutIndex).toBe(1);
  expect(rollout).toMatchObject({
    status: "scored",
    environment: "sum",
    exampleIndex: 3,
    exampleKey: "k1",
    reward: 0.5,
    scores: { right: 1, late: null, turns: 2 },
    stopReason: "max_turns",
    isTruncated: true,
    example: { answer: "2" },
    prompt: [user("1 + 1?")],
    completion: [reply("Let me ask."), user("So?"), reply("2")],
  });
  expect(rollout?.trajectory).toMatchObject([
    {
      seen: 1,
      usage: { inputTokens: 5, outputTokens: 2 },
      tokens: { promptIds: [1, 2, 3], completionIds: [4, 5] },
    },
    { seen: 3, finish: "length", tokens: undefined },
  ]);
  expect(rollout?.branches).toMatchObject([
    { turn: 0, subModel: "small", message: reply("Yes."), usage: { inputTokens: 9 } },
  ]);
  expect(rollout?.branches?.[0]?.messages).toHaveLength(3);
});

test("reads a trace that failed, and one whose fields are missing", async () => {
  const failed = { ...trace, ok: false, errors: [{ type: "ProviderError", message: "busy" }] };
  const bare = { nodes: [{ parent: 7, message: reply("hello"), sampled: true }] };
  const { rollouts } = await readRun(await run([episode(failed, bare)]));
  expect(rollouts[0]).toMatchObject({ status: "failed", error: { message: "busy" } });
  expect(rollouts[1]).toMatchObject({ status: "failed", completion: [reply("hello")] });
});

test("names lines that are damaged, and reads a trace that ended before its first message", async () => {
  const path = await run([
    episode(trace).slice(0, 50),
    episode({
      ...trace,
      nodes: [],
      ok: false,
      errors: [{ type: "SandboxError", message: "no box" }],
    }),
    episode(),
    episode(trace),
  ]);
  const { rollouts, problems } = await readRun(path);
  expect(rollouts).toMatchObject([
    { status: "failed", error: { message: "no box" }, completion: [] },
    { status: "scored" },
  ]);
  expect(problems).toEqual([
    { line: 1, problem: expect.stringMatching(/^The record is cut/) },
    { line: 3, problem: "The episode has no traces." },
  ]);
});
