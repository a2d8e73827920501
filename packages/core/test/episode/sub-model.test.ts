import { isReadable, parseRow, toRow } from "@envs/records";
import { bundleRequests, recordOf } from "@envs/records/bundle";
import { expect, test, vi } from "vitest";
import * as z from "zod";

import { episode } from "../../src/engine.ts";
import {
  defineEnvironment,
  evaluate,
  type Model,
  type ModelRequest,
  policy,
  rollout,
  RolloutError,
  type SubModelAnswer,
  textOf,
} from "../../src/index.ts";
import { checkEnvironment } from "../../src/testing/index.ts";

/** An environment whose tool asks the sub-model about each word, and returns the answers. */
const recursive = defineEnvironment({
  name: "recursive",
  config: z.object({ calls: z.number().default(3), tokens: z.number().default(1000) }),
  dataset: () => [{ prompt: "Ask about: a b" }],
  subModel: {
    maxCalls: ({ config }) => config.calls,
    maxTokens: ({ config }) => config.tokens,
    policy: ({ prompt }) => prompt.toUpperCase(),
  },
  setup: () => ({ answers: [] as SubModelAnswer[] }),
  tools: {
    ask: {
      description: "Asks the sub-model about each word.",
      input: z.object({ words: z.string() }),
      async execute({ words }, { state, subModel }) {
        const asked = words.split(" ").map((word) => subModel(word).catch(() => undefined));
        const answers = await Promise.all(asked);
        state.answers.push(...answers.filter((answer) => answer !== undefined));
        return state.answers.map(({ text }) => text).join(" ");
      },
    },
  },
  episode: { maxTurns: 2 },
  rubric: { shouts: ({ reply }) => reply === "A B" },
  policies: {
    best: ({ messages }) => {
      const last = messages.at(-1)!;
      return last.role === "tool" ? textOf(last.content) : calling("a b");
    },
    mute: () => "",
  },
});

function calling(words: string) {
  const call = { name: "ask", arguments: JSON.stringify({ words }) };
  return {
    role: "assistant" as const,
    content: "",
    tool_calls: [{ id: "1", type: "function" as const, function: call }],
  };
}

const usage = { inputTokens: 10, outputTokens: 2 };

/** Plays `words`, then replies with the result; sub-calls go to `answer`. */
function player(words: string, answer?: (request: ModelRequest) => string): Model {
  const model: Model = async (request) => {
    const { messages } = request;
    const last = messages.at(-1)!;
    if (last.role === "tool")
      return {
        message: { role: "assistant", content: textOf(last.content) },
        finish: "stop",
        usage,
      };
    if (last.content === "Ask about: a b")
      return { message: calling(words), finish: "tool_calls", usage };
    return {
      message: { role: "assistant", content: answer!(request) },
      finish: "stop",
      usage,
      tokens: { promptIds: [1], completionIds: [2, 3], completionLogprobs: [-0.5, -0.25] },
    };
  };
  return Object.assign(model, { id: "player" });
}

const shout = ({ messages }: ModelRequest): string => textOf(messages[0]!.content).toUpperCase();
const example = { prompt: "Ask about: a b" };

test("asks the rollout's own model by default, and records each call as a branch of its turn", async () => {
  const played = await rollout(recursive(), example, {
    model: player("a b", shout),
    sampling: { temperature: 0.5 },
  });
  expect(played).toMatchObject({ status: "scored", reward: 1, usage: { inputTokens: 20 } });
  expect(played.trajectory).toHaveLength(2);
  expect(played.branches).toMatchObject([
    {
      turn: 0,
      subModel: "player",
      messages: [{ role: "user", content: "a" }],
      message: { content: "A" },
      finish: "stop",
      usage,
      tokens: { promptIds: [1], completionIds: [2, 3], completionLogprobs: [-0.5, -0.25] },
    },
    { turn: 0, messages: [{ content: "b" }], message: { content: "B" } },
  ]);
});

test("asks the model of the option, and counts its tokens apart", async () => {
  const requests: ModelRequest[] = [];
  const subModel = Object.assign(
    async (request: ModelRequest) => {
      requests.push(request);
      return player("", shout)(request);
    },
    { id: "small" },
  );
  const { usage: main, subModelUsage } = await evaluate(recursive(), {
    model: player("a b"),
    subModel,
    sampling: { temperature: 0.5 },
    rolloutsPerExample: 2,
  });
  expect(main).toMatchObject({ inputTokens: 40, outputTokens: 8 });
  expect(subModelUsage).toEqual({
    small: { calls: 4, inputTokens: 40, outputTokens: 8, unknownCalls: 0 },
  });
  expect(requests.map(({ sampling }) => sampling?.temperature)).toEqual(Array(4).fill(undefined));
  expect(new Set(requests.map(({ seed }) => seed)).size).toBe(4);
});

test.each([
  ["calls", { calls: 2 }, "a b c", "A B The budget of 2 sub-model calls is used up."],
  ["tokens", { tokens: 12 }, "a", "A The budget of 12 sub-model tokens is used up."],
] as const)(
  "answers at the end of the budget of %s instead of failing",
  async (limit, config, words, expected) => {
    const environment = recursive(config);
    const run = episode(environment, example, { subModel: player("", shout) });
    await run.start();
    await run.step(calling(words));
    if (limit === "tokens") await run.step(calling("b"));
    const { answers } = run.state as { answers: SubModelAnswer[] };
    expect(answers.map((answer) => answer.text).join(" ")).toBe(expected);
    expect(answers.at(-1)).toMatchObject({ limit });
    expect(run.subModelCalls.branches).toHaveLength(answers.length - 1);
    expect(run.subModelCalls.refusals).toBe(1);
  },
);

test("answers that the messages exceed the context of the sub-model", async () => {
  const overflow = () => {
    throw new RolloutError("model", "too long", { isOverflow: true });
  };
  const played = await rollout(recursive(), example, { model: player("a", overflow) });
  expect(played.completion.at(-1)?.content).toBe(
    "The messages exceed the context of the sub-model.",
  );
  expect(played.branches).toMatchObject([{ isOverflow: true, message: { content: "" } }]);
});

test("fails the rollout if the sub-model fails, though the tool catches the error, and plays it again", async () => {
  let failures = 0;
  const flaky = (request: ModelRequest): string => {
    if (failures++ === 0) throw new Error("503");
    return shout(request);
  };
  const failed = await rollout(recursive(), example, {
    model: player("a b", () => {
      throw new Error("503");
    }),
  });
  expect(failed).toMatchObject({ status: "failed", error: { code: "model" } });
  const { retries, subModelUsage } = await evaluate(recursive(), {
    model: player("a b", flaky),
    rolloutsPerExample: 1,
    retry: { codes: ["model"] },
  });
  expect(retries).toEqual({ model: 1 });
  expect(subModelUsage!["player"]!.calls).toBeGreaterThanOrEqual(2);
});

test("fails the rollout if tokens are limited and the sub-model does not report them", async () => {
  const silent: Model = async () => ({
    message: { role: "assistant", content: "" },
    finish: "stop",
  });
  const played = await rollout(recursive(), example, { model: player("a"), subModel: silent });
  expect(played).toMatchObject({ status: "failed", error: { code: "model", isFatal: true } });
});

test("bounds the calls that run at once, and aborts them with the rollout", async () => {
  let running = 0;
  let most = 0;
  const aborted = vi.fn<() => void>();
  const hanging: Model = ({ signal }) =>
    new Promise((_, reject) => {
      most = Math.max(most, (running += 1));
      signal.addEventListener("abort", () => {
        aborted();
        reject(signal.reason as Error);
      });
    });
  const controller = new AbortController();
  const played = rollout(recursive({ calls: 9 }), example, {
    model: player("a b c d e"),
    subModel: hanging,
    subModelConcurrency: 2,
    signal: controller.signal,
  });
  await vi.waitFor(() => expect(running).toBe(2), 120_000);
  controller.abort();
  expect(await played).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  expect([most, aborted.mock.calls.length]).toEqual([2, 2]);
});

test("lets policies and checks ask the scripted sub-model of the environment", async () => {
  await checkEnvironment(recursive, { fullReward: 1 });
  const played = await rollout(recursive(), example, { model: policy("best") });
  expect(played.branches).toMatchObject([
    { message: { content: "A" } },
    { message: { content: "B" } },
  ]);
  const subModel = { ...recursive.definition.subModel, policy: undefined };
  expect(() =>
    defineEnvironment({ ...(recursive.definition as never as object), subModel } as never),
  ).toThrow("recursive has policies and a sub-model, but no subModel.policy");
});

test("names the missing declaration if a hook asks without one", async () => {
  const undeclared = defineEnvironment({
    name: "undeclared",
    dataset: () => [{ prompt: "Hi" }],
    respond: async ({ subModel }) => (await subModel("Hello")).text,
    rubric: { one: () => 1 },
  });
  const played = await rollout(undeclared(), { prompt: "Hi" }, { model: player("", shout) });
  expect(played).toMatchObject({
    status: "failed",
    error: { code: "environment", message: expect.stringContaining("subModel: { maxCalls: … }") },
  });
});

test("writes branches into the row, and reads them", async () => {
  const played = await rollout(recursive(), example, { model: player("a b", shout) });
  const row = toRow(played);
  expect(row.branches).toMatchObject([{ turn: 0, sub_model: "player", finish_reason: "stop" }, {}]);
  const read = parseRow(JSON.stringify(row));
  if (!isReadable(read)) throw new Error(read.problem);
  expect(toRow(read)).toEqual(row);
  expect(read.branches).toMatchObject(
    played.branches!.map(({ messages, message, tokens }) => ({ messages, message, tokens })),
  );
});

test("records how many calls the budget refused, also after the record was read", async () => {
  const played = await rollout(recursive({ calls: 1 }), example, { model: player("a b c", shout) });
  expect(played.subModelRefusals).toBe(2);
  const read = parseRow(JSON.stringify(toRow(played)));
  expect(isReadable(read) && read.subModelRefusals).toBe(2);
  const within = await rollout(recursive(), example, { model: player("a b c", shout) });
  expect(within).not.toHaveProperty("subModelRefusals");
});

test("replays a rollout with the recorded replies of the sub-model", async () => {
  const answer = bundleRequests(recursive as never);
  const replay = async (branches: boolean) => {
    const played = await rollout(recursive(), example, { model: player("b a", shout) });
    const { branches: recorded, ...record } = recordOf(played)!;
    const rollouts = [branches ? { ...record, branches: recorded } : record];
    const params = { example: { index: 0 }, rollouts };
    return JSON.parse(await answer(JSON.stringify({ method: "replay", params }))) as unknown;
  };
  expect(await replay(true)).toMatchObject({
    result: { rollouts: [{ reward: 0, completion: [{}, { content: "B A" }, { content: "B A" }] }] },
  });
  expect(await replay(false)).toMatchObject({
    result: { rollouts: [{ problem: expect.stringContaining("no reply to a sub-model call") }] },
  });
});
