import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { AssistantMessage, Message, Rollout, Turn } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";
import { isReadable, parseMetadata, parseRow, toRow } from "@envs/records";
import { readRun } from "@envs/records/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const fixture = join(import.meta.dirname, "fixtures/verifiers-run");

const text = fc.string({ unit: "binary", maxLength: 20 }).map((value) => value.toWellFormed());
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const span = fc
  .tuple(fc.nat(2e12), fc.nat(1e6))
  .map(([start, length]) => ({ start, end: start + length }));
const usage = fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() });
const name = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}$/),
  fc.constantFrom("reward", "error", "turns", "prompt"),
);

const toolCall = fc.record({
  id: text,
  type: fc.constant("function" as const),
  function: fc.record({ name: text, arguments: text }),
});
const assistantMessage: fc.Arbitrary<AssistantMessage> = fc.record(
  {
    role: fc.constant("assistant" as const),
    content: text,
    reasoning_content: text,
    tool_calls: fc.array(toolCall, { maxLength: 2 }),
  },
  { requiredKeys: ["role", "content"] },
);
const message: fc.Arbitrary<Message> = fc.oneof(
  assistantMessage,
  fc.record({ role: fc.constantFrom("user" as const, "system" as const), content: text }),
  fc.record({ role: fc.constant("tool" as const), tool_call_id: text, content: text }),
);
const messages = fc.array(message, { maxLength: 6 });

const turnFacts = fc.record({
  finish: fc.constantFrom("stop", "length", "tool_calls", "content_filter"),
  usage: fc.option(usage, { nil: undefined }),
  tokens: fc.option(
    fc.record(
      {
        promptIds: fc.array(fc.nat()),
        completionIds: fc.array(fc.nat()),
        completionLogprobs: fc.array(finite),
        placeholders: fc.constant({ image: [{ offset: 1, length: 4 }] }),
      },
      { requiredKeys: ["promptIds", "completionIds", "completionLogprobs"] },
    ),
    { nil: undefined },
  ),
  model: span,
  environment: span,
}) satisfies fc.Arbitrary<Omit<Turn, "seen" | "message">>;

const base = fc
  .record({
    environment: name,
    example: fc.record(
      { prompt: fc.oneof(text, messages), id: text, answer: fc.jsonValue(), info: fc.jsonValue() },
      { requiredKeys: ["prompt"] },
    ),
    exampleIndex: fc.nat(),
    exampleKey: text,
    rolloutIndex: fc.nat(),
    prompt: messages,
    completion: messages,
    isTruncated: fc.boolean(),
    isFiltered: fc.boolean(),
    usage: fc.option(usage, { nil: undefined }),
    timing: fc.record({ setup: span, generation: span, scoring: span }),
    facts: turnFacts,
  })
  .map(({ facts, ...rest }) =>
    Object.assign(rest, {
      trajectory: rest.completion.flatMap((message, index) =>
        message.role === "assistant"
          ? [{ ...facts, seen: rest.prompt.length + index, message }]
          : [],
      ),
    }),
  );

const outcome = fc.oneof(
  fc.record(
    {
      status: fc.constant("scored" as const),
      stopReason: name,
      reward: finite,
      scores: fc.dictionary(name, fc.option(finite)),
      feedback: fc.dictionary(name, text, { minKeys: 1 }),
    },
    { requiredKeys: ["status", "stopReason", "reward", "scores"] },
  ),
  fc.record({
    status: fc.constant("failed" as const),
    error: fc.record({
      code: fc.constantFrom(
        "model",
        "environment",
        "tool",
        "score",
        "timeout",
        "worker",
        "cancelled",
      ),
      message: text,
      chain: fc.array(text, { minLength: 1, maxLength: 3 }),
      isFatal: fc.boolean(),
    }),
  }),
);

/** JSON writes -0 as 0. */
const rollout: fc.Arbitrary<Rollout> = fc
  .tuple(base, outcome)
  .map(([first, second]) => JSON.parse(JSON.stringify({ ...first, ...second })) as Rollout);

function read(line: string): Rollout {
  const row = parseRow(line);
  if (!isReadable(row)) throw new Error(row.problem);
  return row;
}

/** The rollout without fields that JSON omits, and with times in whole milliseconds, as they were drawn. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === "start" || key === "end" ? Math.round(inner as number) : inner,
    ),
  );
}

describe("a row", () => {
  test("is read as the rollout that it was written from", () => {
    fc.assert(
      fc.property(rollout, (played) => {
        expect(plain(read(JSON.stringify(toRow(played))))).toEqual(plain(played));
      }),
    );
  });

  test("does not change when it is read and written", () => {
    fc.assert(
      fc.property(rollout, (played) => {
        const line = JSON.stringify(toRow(played));
        expect(JSON.stringify(toRow(read(line)))).toBe(line);
      }),
    );
  });

  test("may have unknown fields", () => {
    fc.assert(
      fc.property(rollout, fc.jsonValue(), (played, value) => {
        const row = toRow(played);
        expect(read(JSON.stringify({ ...row, written_by_a_later_version: value }))).toEqual(
          read(JSON.stringify(row)),
        );
      }),
    );
  });

  test("is a problem when it is incomplete", () => {
    fc.assert(
      fc.property(rollout, fc.double({ min: 0, max: 1, noNaN: true }), (played, share) => {
        const line = JSON.stringify(toRow(played));
        const incomplete = line.slice(0, Math.floor(share * (line.length - 1)));
        expect(isReadable(parseRow(incomplete))).toBe(false);
      }),
    );
  });

  test("is a problem, not an exception, for any invalid line", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.json()), (line) => {
        const row = parseRow(line);
        expect(isReadable(row) || row.problem.length > 0).toBe(true);
      }),
    );
  });

  test("has each score as a field, unless another field has its name", () => {
    const row = toRow({
      ...read(fixtureLines()[0]!),
      status: "scored",
      reward: 0.5,
      stopReason: "end",
      scores: { win: 1, reward: 9 },
    });
    expect(row).toMatchObject({ win: 1, reward: 0.5, metrics: { win: 1, reward: 9 } });
  });
});

describe("a run of verifiers", () => {
  test("is read completely", async () => {
    const { rollouts, problems, metadata } = await readRun(fixture);
    expect(problems).toEqual([]);
    expect(metadata).toMatchObject({ schema_version: 0, env_id: "shop-questions" });
    expect(rollouts.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => "scored"),
      "failed",
    ]);
    expect(rollouts.every(({ environment }) => environment === "shop-questions")).toBe(true);
  });

  test("numbers the rows of one example in order", async () => {
    const { rollouts } = await readRun(fixture);
    const places = rollouts.map(({ exampleIndex, rolloutIndex }) => [exampleIndex, rolloutIndex]);
    expect(places.slice(0, 4)).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(new Set(rollouts.map(({ exampleKey }) => exampleKey)).size).toBe(3);
  });

  test("reads a row with an error as failed, although its reward is 0", async () => {
    const { rollouts } = await readRun(fixture);
    expect(rollouts[5]).toMatchObject({
      status: "failed",
      error: { code: "model", message: "The model gave no text and no tool call." },
    });
    expect(rollouts[5]).not.toHaveProperty("reward");
  });

  test("has messages with text content and nested tool calls", async () => {
    const { rollouts } = await readRun(fixture);
    const call = (item: string) => ({
      id: "call_1",
      type: "function",
      function: { name: "price", arguments: `{"item": "${item}"}` },
    });
    expect(rollouts[2]?.completion).toEqual([
      { role: "assistant", content: "", tool_calls: [call("lamp")] },
      { role: "tool", tool_call_id: "call_1", content: "lamp: 12" },
      { role: "assistant", content: "<answer>12</answer>" },
    ]);
    expect(rollouts[3]?.completion[0]).toMatchObject({ tool_calls: [call("sofa")] });
    expect(rollouts[0]?.completion[0]).toHaveProperty("reasoning_content");
    expect(rollouts[4]?.completion).toEqual([
      { role: "assistant", content: "<answer>24</answer>" },
    ]);
  });

  test("has one turn per message of the model", async () => {
    const { rollouts } = await readRun(fixture);
    expect(rollouts.map(({ trajectory }) => trajectory.length)).toEqual([1, 1, 2, 1, 1, 0]);
    expect(rollouts[2]?.trajectory.map(({ seen }) => seen)).toEqual([2, 4]);
  });

  test("has times and tokens", async () => {
    const [first] = (await readRun(fixture)).rollouts;
    expect(first?.usage).toEqual({ inputTokens: 120, outputTokens: 24 });
    expect(first!.timing.generation.end - first!.timing.generation.start).toBeCloseTo(1250, 2);
  });

  test("can be summarized", async () => {
    const { rollouts, metadata } = await readRun(fixture);
    const sum = createSummarizer(["correct", "format"], metadata.pass_threshold);
    for (const played of rollouts) sum.add(played);
    expect(sum.summary()).toMatchObject({
      counts: { total: 6, scored: 5, failed: 1, truncated: 1 },
      failures: { model: 1 },
      scores: { correct: { mean: 0.6 }, format: { mean: 0.2 } },
    });
  });
});

describe("messages of other writers", () => {
  const written: readonly [string, object, object][] = [
    ["without content", { tool_calls: [] }, { content: "", tool_calls: [] }],
    ["with null for tool calls", { content: "a", tool_calls: null }, { content: "a" }],
    ["with `reasoning`", { content: "", reasoning: "b" }, { content: "", reasoning_content: "b" }],
    ["with an image", { content: [{ type: "image_url" }] }, { content: "[image_url]" }],
    [
      "with tool calls as JSON text",
      { content: "", tool_calls: ['{"id":"1","function":{"name":"f","arguments":{"x":1}}}'] },
      {
        content: "",
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
    ],
  ];
  test.each(written)("reads %s", (_, stored, expected) => {
    const line = { example_id: 0, prompt: "", completion: [{ role: "assistant", ...stored }] };
    expect(read(JSON.stringify({ ...line, reward: 0 })).completion[0]).toMatchObject(expected);
  });
});

describe("metadata", () => {
  test("preserves unknown fields", () => {
    const metadata = parseMetadata({ env_id: "a", model: "b", note: { by: "me" } });
    expect(metadata["note"]).toEqual({ by: "me" });
  });

  test("is invalid without the environment or the model", () => {
    expect(() => parseMetadata({ model: "b" })).toThrow("env_id");
  });
});

function fixtureLines(): readonly string[] {
  return readFileSync(join(fixture, "results.jsonl"), "utf8").trim().split("\n");
}
