import { expect, test } from "vitest";
import * as z from "zod";

import { rolloutErrorCodes } from "../../src/engine.ts";
import {
  assistantMessage,
  defineEnvironment,
  end,
  type Model,
  type PlayOptions,
  rollout,
  RolloutError,
  type RolloutErrorCode,
  userMessage,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const hang = <Value>(): Promise<Value> => new Promise(() => {});
const fail = (): never => {
  throw new Error("boom");
};
const example = { prompt: "Hi." };
const hello = scriptedModel("hello");
const stops = async (model: Model, options: Omit<PlayOptions, "model"> = {}) =>
  rollout(talk(), example, { model, ...options });

/** An environment that counts how often it is closed. */
function closing(hooks: {
  setup?: () => Promise<object> | object;
  respond?: () => Promise<string> | string;
  stop?: () => Promise<boolean> | boolean;
  score?: () => Promise<number> | number;
  close?: () => Promise<void> | void;
}) {
  const closed: number[] = [];
  const { setup = () => ({}), respond = () => "go on", stop = () => false } = hooks;
  const environment = defineEnvironment({
    name: "closing",
    dataset: () => [example],
    setup,
    tools: {
      fail: { description: "Fails", input: z.object({}), execute: fail },
      hang: { description: "Hangs", input: z.object({}), execute: () => hang() },
    },
    respond,
    episode: {
      maxTurns: 2,
      stop: { now: stop },
      toolErrors: "fail",
      close() {
        closed.push(1);
        return hooks.close?.();
      },
    },
    rubric: { one: hooks.score ?? (() => 1) },
    policies: { broken: fail },
  });
  return { closed, environment: environment() };
}

const talk = defineEnvironment({
  name: "talk",
  dataset: () => [example],
  respond: ({ reply }) => (reply === "bye" ? end() : "go on"),
  episode: { maxTurns: 3 },
  rubric: { replies: ({ turns }) => turns },
});

function toolCall(name: string): Model {
  const call = { id: "1", type: "function", function: { name, arguments: "{}" } } as const;
  return scriptedModel({ ...assistantMessage(""), tool_calls: [call] });
}

const deaf: Model = () => hang();
const polite: Model = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });

interface Case {
  readonly hooks?: Parameters<typeof closing>[0];
  readonly options?: Partial<PlayOptions>;
  readonly code: RolloutErrorCode;
  readonly message: string | RegExp;
  readonly closed?: number;
}

const cases: Readonly<Record<string, Case>> = {
  "a model that throws": {
    options: { model: scriptedModel(new Error("boom")) },
    code: "model",
    message: "the model: boom",
  },
  "a model that throws a value other than an Error": {
    // oxlint-disable-next-line prefer-promise-reject-errors -- what a stranger's model may do
    options: { model: () => Promise.reject("no paper") },
    code: "model",
    message: "the model: no paper",
  },
  "an agent that fails": {
    options: { model: () => Promise.reject(new RolloutError("agent", "The agent failed: boom")) },
    code: "agent",
    message: "The agent failed: boom",
  },
  "a model that answers nothing": {
    options: { model: (() => Promise.resolve()) as unknown as Model },
    code: "model",
    message: "the model: The response has no message with a text as its content.",
  },
  "a setup that throws": {
    hooks: { setup: fail },
    code: "environment",
    message: "setup: boom",
    closed: 0,
  },
  "a respond that throws": {
    hooks: { respond: fail },
    code: "environment",
    message: "respond: boom",
  },
  "a stop condition that throws": {
    hooks: { stop: fail },
    code: "environment",
    message: "the stop condition now: boom",
  },
  "a close that throws": {
    hooks: { close: fail },
    code: "environment",
    message: "close: boom",
  },
  "a close that hangs": {
    hooks: { close: () => hang() },
    options: { rolloutTimeout: 20 },
    code: "timeout",
    message: "Closing the episode took longer than 20 ms.",
  },
  "a tool that throws where tools must not": {
    options: { model: toolCall("fail") },
    code: "tool",
    message: "fail failed: boom",
  },
  "a tool that hangs": {
    options: { model: toolCall("hang"), rolloutTimeout: 20 },
    code: "timeout",
    message: "The rollout took longer than 20 ms.",
  },
  "a score that throws": {
    hooks: { score: fail },
    code: "score",
    message: "the score one: boom",
  },
  "a score that returns a non-number": {
    hooks: { score: () => Number.NaN },
    code: "score",
    message: /^The score one is NaN\./,
  },
  "a score that hangs": {
    hooks: { score: () => hang() },
    options: { rolloutTimeout: 20 },
    code: "timeout",
    message: "Scoring took longer than 20 ms.",
  },
  "a model that hangs in its turn": {
    options: { model: deaf, turnTimeout: 20 },
    code: "timeout",
    message: "The model's turn took longer than 20 ms.",
  },
  "a model that hangs in the rollout": {
    options: { model: deaf, rolloutTimeout: 20 },
    code: "timeout",
    message: "The rollout took longer than 20 ms.",
  },
  "a model that throws because its time is up": {
    options: { model: polite, turnTimeout: 20 },
    code: "timeout",
    message: "The model's turn took longer than 20 ms.",
  },
  "a setup that hangs": {
    hooks: { setup: () => hang() },
    options: { rolloutTimeout: 20 },
    code: "timeout",
    message: "The rollout took longer than 20 ms.",
    closed: 0,
  },
  "a respond that hangs beyond the limit of a hook": {
    hooks: { respond: () => hang() },
    options: { hookTimeout: 20 },
    code: "timeout",
    message: "respond took longer than 20 ms.",
  },
  "a respond that hangs": {
    hooks: { respond: () => hang() },
    options: { rolloutTimeout: 20 },
    code: "timeout",
    message: "The rollout took longer than 20 ms.",
  },
  "a run that is cancelled before it began": {
    options: { signal: AbortSignal.abort() },
    code: "cancelled",
    message: "The run was cancelled.",
    closed: 0,
  },
};

test.for(Object.entries(cases))(
  "fails the rollout of %s with its code and message, and closes the episode once",
  async ([, { hooks = {}, options = {}, code, message, closed: expected = 1 }]) => {
    const { environment, closed } = closing(hooks);
    const failed = await rollout(environment, example, { model: hello, ...options });
    expect(failed).toMatchObject({ status: "failed", error: { code } });
    expect(failed).not.toHaveProperty("reward");
    expect(failed.status === "failed" && failed.error.message).toMatch(message);
    expect(closed).toHaveLength(expected);
  },
);

test("the cases cover every error code but that of queues", () => {
  const codes = Object.values(cases).map(({ code }) => code);
  expect(new Set([...codes, "crash", "worker"])).toEqual(new Set(rolloutErrorCodes));
});

test.for(["setup", "respond", "score"] as const)(
  "a cancelled run ends at once, although %s ignores its signal",
  async (hook) => {
    const controller = new AbortController();
    const { environment } = closing({
      [hook]: () => {
        setTimeout(() => controller.abort(new Error("enough")), 5);
        return hang();
      },
    });
    const failed = await rollout(environment, example, { model: hello, signal: controller.signal });
    expect(failed).toMatchObject({
      status: "failed",
      error: {
        code: "cancelled",
        chain: ["RolloutError: The run was cancelled.", "Error: enough"],
      },
    });
  },
);

test("a finished rollout is scored, closed once and has its timing", async () => {
  const { environment, closed } = closing({});
  const played = await rollout(environment, example, { model: hello });
  expect(played).toMatchObject({ status: "scored", stopReason: "turns", reward: 1 });
  expect(closed).toEqual([1]);
  const { setup, generation, scoring } = played.timing;
  const marks = [
    setup.start,
    setup.end,
    generation.start,
    generation.end,
    scoring.start,
    scoring.end,
  ];
  expect(marks).toEqual(marks.toSorted((a, b) => a - b));
});

test("releases what setup() acquires after the timeout", async () => {
  const released = Promise.withResolvers<string>();
  const environment = defineEnvironment({
    name: "slow",
    dataset: () => [example],
    setup: () => pause(20).then(() => ({ box: "box" })),
    episode: { close: ({ state }) => released.resolve(state.box) },
    rubric: { zero: () => 0 },
  });
  const failed = await rollout(environment(), example, { model: hello, rolloutTimeout: 5 });
  expect(failed).toMatchObject({ status: "failed", error: { code: "timeout" } });
  expect(await released.promise).toBe("box");
});

test.for([
  ["setup", 0],
  ["respond", 1],
] as const)(
  "does not call the model again when %s ends after the timeout",
  async ([hook, expected]) => {
    const late = <Value>({ signal }: { signal: AbortSignal }, value: Value): Promise<Value> =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(value)));
    const environment = defineEnvironment({
      name: "late",
      dataset: () => [example],
      setup: (context) => (hook === "setup" ? late(context, {}) : {}),
      respond: (context) => (hook === "respond" ? late(context, "go on") : "go on"),
      episode: { maxTurns: 5 },
      rubric: { zero: () => 0 },
    });
    let calls = 0;
    const model: Model = (request) => {
      calls += 1;
      return hello(request);
    };
    await rollout(environment(), example, { model, rolloutTimeout: 10 });
    await pause(5);
    expect(calls).toBe(expected);
  },
);

test("reports the earlier failure when close() fails too", async () => {
  const { environment } = closing({ close: fail });
  const model = scriptedModel(new RolloutError("model", "wrong key", { isFatal: true }));
  const failed = await rollout(environment, example, { model });
  expect(failed).toMatchObject({ error: { code: "model", message: "wrong key", isFatal: true } });
});

test("aborts the signal of hooks when the rollout ends", async () => {
  let hookSignal: AbortSignal | undefined;
  const environment = defineEnvironment({
    name: "listen",
    dataset: () => [example],
    setup: ({ signal }) => void (hookSignal = signal),
    rubric: { alive: ({ signal }) => (signal.aborted ? 0 : 1) },
  });
  expect(await rollout(environment(), example, { model: hello })).toMatchObject({ reward: 1 });
  expect(hookSignal?.aborted).toBe(true);
});

test("truncates and scores a rollout at the turn limit", async () => {
  expect(await stops(hello)).toMatchObject({
    status: "scored",
    stopReason: "turns",
    isTruncated: true,
    reward: 3,
  });
  expect(await stops(hello, { maxTurns: 2 })).toMatchObject({ stopReason: "turns", reward: 2 });
  expect(await stops(scriptedModel("hello", "bye"))).toMatchObject({
    stopReason: "end",
    isTruncated: false,
    reward: 2,
  });
});

test("truncates a rollout after the turn that reaches the token limit", async () => {
  const model = scriptedModel({
    message: assistantMessage("hello"),
    finish: "stop",
    usage: { inputTokens: 100, outputTokens: 10 },
  });
  expect(await stops(model, { maxTotalTokens: 11 })).toMatchObject({
    stopReason: "tokens",
    isTruncated: true,
    reward: 2,
    usage: { inputTokens: 200, outputTokens: 20 },
  });
});

test("fails a rollout with a token limit if the model does not report its usage", async () => {
  expect(await stops(scriptedModel("hello"), { maxTotalTokens: 11 })).toMatchObject({
    status: "failed",
    error: {
      code: "model",
      isFatal: true,
      message: expect.stringContaining("the limit of 11 tokens cannot be enforced"),
    },
  });
});

test("truncates and scores a conversation that exceeds the model's context", async () => {
  const model = scriptedModel("hello", new RolloutError("model", "full", { isOverflow: true }));
  expect(await stops(model)).toMatchObject({
    status: "scored",
    stopReason: "context",
    isTruncated: true,
    reward: 1,
  });
});

test("marks a rollout as truncated when a reply reaches its token limit", async () => {
  const model = scriptedModel({ message: assistantMessage("bye"), finish: "length" });
  expect(await stops(model)).toMatchObject({ stopReason: "end", isTruncated: true });
});

test("scores an episode that ends at the start without a model call", async () => {
  const { environment } = closing({ stop: () => true });
  const model = scriptedModel(new Error("must not be called"));
  expect(await rollout(environment, example, { model })).toMatchObject({
    status: "scored",
    stopReason: "now",
    trajectory: [],
    completion: [],
  });
});

test("records the conversation length of each turn and calls onTurn", async () => {
  const heard: unknown[] = [];
  const played = await stops(scriptedModel("hello", "bye"), {
    onTurn: (turn) => void heard.push(turn),
  });
  expect(played.trajectory).toMatchObject([
    { seen: 1, message: assistantMessage("hello"), finish: "stop" },
    { seen: 3, message: assistantMessage("bye") },
  ]);
  expect(heard).toEqual(played.trajectory);
  expect(played.prompt).toEqual([userMessage("Hi.")]);
  expect(played.completion).toEqual([
    assistantMessage("hello"),
    userMessage("go on"),
    assistantMessage("bye"),
  ]);
});

test("a model cannot change the conversation", async () => {
  const vandal: Model = async ({ messages }) => {
    (messages as unknown[]).length = 0;
    return { message: assistantMessage("bye"), finish: "stop" };
  };
  expect((await stops(vandal)).prompt).toEqual([userMessage("Hi.")]);
});

test("gives each turn of each rollout its own seed, the same in every run", async () => {
  const seedsOf = async (rolloutIndex: number, seed = 0): Promise<unknown[]> => {
    const seeds: unknown[] = [];
    const model: Model = async (request) => {
      seeds.push(request.seed);
      return { message: assistantMessage("hello"), finish: "stop" };
    };
    await stops(model, { rolloutIndex, seed });
    return seeds;
  };
  const first = await seedsOf(0);
  expect(await seedsOf(0)).toEqual(first);
  expect(new Set([...first, ...(await seedsOf(1)), ...(await seedsOf(0, 1))]).size).toBe(9);
});

test("records the turn during which the environment fails", async () => {
  const environment = defineEnvironment({
    name: "breaks",
    dataset: () => [{ prompt: "Hi." }],
    respond: ({ turns }) => {
      if (turns === 2) throw new Error("no more");
      return "Go on.";
    },
    rubric: { one: () => 1 },
  })();
  const model: Model = async () => ({
    message: { role: "assistant", content: "Yes." },
    finish: "stop",
    usage: { inputTokens: 3, outputTokens: 1 },
  });
  const { status, trajectory, usage } = await rollout(environment, { prompt: "Hi." }, { model });
  expect(status).toBe("failed");
  expect(trajectory).toHaveLength(2);
  expect(usage).toEqual({ inputTokens: 6, outputTokens: 2 });
});
