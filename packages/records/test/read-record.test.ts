import { isReadable, parseRow, type ReadRollout, readRecord } from "@envs/records";
import { describe, expect, test } from "vitest";

const user = (content: string) => ({ role: "user", content });
const reply = (content: string) => ({ role: "assistant", content });
const row = {
  example_id: 0,
  prompt: [user("1 + 1?")],
  completion: [reply("2")],
  reward: 1,
  metrics: { right: 1 },
};
const trace = {
  task: { data: { idx: 0 }, key: "k", hash: "h" },
  ok: true,
  nodes: [
    { parent: null, message: user("1 + 1?") },
    { parent: 0, message: reply("2"), sampled: true },
  ],
  calls: [{ node: 1, finish_reason: "stop" }],
  rewards: { right: { score: 1, weight: 1 } },
};

function read(record: unknown): ReadRollout {
  const rollouts = readRecord(typeof record === "string" ? record : JSON.stringify(record));
  if (!isReadable(rollouts)) throw new Error(rollouts.problem);
  return rollouts[0]!;
}

const readTrace = (fields: object) => read({ traces: [{ ...trace, ...fields }] });

describe("a trace of verifiers is truncated", () => {
  test.each([
    ["context_length", true],
    ["compaction_failed", true],
    ["max_turns", true],
    ["max_total_tokens", true],
    ["harness_timeout", false],
    ["agent_timeout", false],
    ["agent_completed", false],
  ])("if it ended by a limit: %s, %s", (stop, isTruncated) => {
    expect(readTrace({ stop_condition: stop }).rollout.isTruncated).toBe(isTruncated);
  });

  test("if its last call without an error was cut", () => {
    const cut = { node: 1, finish_reason: "length", error: null };
    const failed = { node: null, finish_reason: null, error: { type: "ProviderError" } };
    expect(readTrace({ calls: [cut, failed] }).rollout.isTruncated).toBe(true);
  });
});

describe("numbers that Python writes and JSON lacks", () => {
  test("a metric that is NaN is null, and the row counts with its reward", () => {
    const text = JSON.stringify({ ...row, metrics: { right: 1, unsure: "?" } });
    const { rollout } = read(text.replace('"?"', "NaN"));
    expect(rollout).toMatchObject({ status: "scored", reward: 1, scores: { unsure: null } });
  });

  test("a reward that is NaN is a rollout without a reward, not a damaged line", () => {
    const { rollout } = read(JSON.stringify(row).replace('"reward":1', '"reward":NaN'));
    expect(rollout).toMatchObject({ status: "failed", completion: [reply("2")] });
  });

  test("a reward of 0.4 with a null score is unknown, and an unscored rollout does not count", () => {
    const unknown = { right: { score: 1, weight: 1 }, unsure: { score: null, weight: 0.5 } };
    expect(readTrace({ rewards: unknown }).rollout.status).toBe("failed");
    const skipped = { right: { score: 1, weight: 1 }, late: null };
    expect(readTrace({ rewards: skipped }).rollout).toMatchObject({ reward: 1 });
  });

  test("are rejected from another process", () => {
    const text = JSON.stringify(row).replace('"reward":1', '"reward":NaN');
    expect(parseRow(text)).toHaveProperty("problem");
  });
});

describe("a record is read the same by every reader", () => {
  test("tokens from the server's cache are input tokens", () => {
    const usage = { prompt_tokens: 12, completion_tokens: 5, cached_input_tokens: 8 };
    const { rollout } = readTrace({ calls: [{ ...trace.calls[0], usage }] });
    expect(rollout.usage).toMatchObject({ inputTokens: 20, outputTokens: 5 });
  });

  test("an example has the key of its task, or the hash of its content", () => {
    expect(readTrace({}).rollout.exampleKey).toBe("k");
    const [first, same, other] = [row, { ...row, example_id: 9 }, { ...row, prompt: "2?" }].map(
      (record) => read(record).rollout.exampleKey,
    );
    expect([first === same, first === other]).toEqual([true, false]);
  });

  test("an error class of verifiers has one of our codes", () => {
    const codes = ["EmptyModelResponseError", "ToolCallError", "ProviderError", "KeyError"].map(
      (error) => {
        const { rollout } = read({ ...row, error: { error } });
        return rollout.status === "failed" ? rollout.error.code : "";
      },
    );
    expect(codes).toEqual(["model", "tool", "model", "environment"]);
  });

  test("a completion without text has no turn", () => {
    expect(read({ ...row, completion: "" }).rollout.trajectory).toEqual([]);
  });

  test("a damaged turn does not affect the others", () => {
    const usage = { input_tokens: 3, output_tokens: 1 };
    const completion = [reply("1"), user("Again."), reply("2")];
    const { rollout } = read({ ...row, completion, trajectory: ["?", { usage }] });
    expect(rollout.trajectory.map((turn) => turn.usage)).toEqual([
      undefined,
      { inputTokens: 3, outputTokens: 1 },
    ]);
  });

  test("thoughts and pictures have the form of chat completions", () => {
    const picture = "data:image/png;base64,AAAA";
    const source = { media_type: "image/png", data: "AAAA" };
    const { rollout } = read({
      ...row,
      prompt: [
        {
          role: "user",
          content: [
            { type: "image", image: picture },
            { type: "image", source },
          ],
        },
      ],
      completion: [{ role: "assistant", content: [{ type: "reasoning", reasoning: "Add." }, "2"] }],
    });
    const part = { type: "image_url", image_url: { url: picture } };
    expect(rollout.prompt).toEqual([{ role: "user", content: [part, part] }]);
    expect(rollout.completion).toEqual([{ ...reply("2"), reasoning_content: "Add." }]);
  });
});

describe("a row that another process sends", () => {
  test.each([
    ["a list", [], "not an object"],
    ["without the example's index", { ...row, example_id: "a" }, 'example_id is "a".'],
    ["without a prompt", { ...row, prompt: undefined }, "prompt is absent."],
    ["with a message that has no role", { ...row, completion: [{}] }, "completion is [{}]."],
    ["with a reward in words", { ...row, reward: "good" }, 'reward is "good".'],
  ])("is rejected with the reason: %s", (_, sent, reason) => {
    const parsed = parseRow(JSON.stringify(sent));
    expect(isReadable(parsed) ? "" : parsed.problem).toContain(reason);
  });
});
