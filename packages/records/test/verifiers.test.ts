import { readFileSync } from "node:fs";
import { join } from "node:path";

import { createSummarizer } from "@envs/core/engine";
import { type Fields, fieldsOf, isReadable, listOf, parseJson, readRecord } from "@envs/records";
import { readRun } from "@envs/records/node";
import { describe, expect, test } from "vitest";

/** Runs that verifiers wrote, by test/python/write-fixtures.ts: eight questions, some of which fail in a known way. */
const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name);

function linesOf(file: string): readonly string[] {
  return readFileSync(fixture(file), "utf8").trim().split("\n");
}

function readAll(line: string) {
  const read = readRecord(line);
  if (!isReadable(read)) throw new Error(read.problem);
  return read;
}

const seconds = ({ start, end }: { readonly start: number; readonly end: number }) => ({
  start: start / 1000,
  end: end / 1000,
});

describe("a row of verifiers 0.3.1", () => {
  const line = linesOf("verifiers-0.3.1/results.jsonl")[1]!;
  const row = fieldsOf(parseJson(line));
  const [read] = readAll(line);
  const { rollout } = read!;
  if (rollout.status !== "scored") throw new Error("It is scored.");
  const timing = fieldsOf(row["timing"]);
  const usage = fieldsOf(row["token_usage"]);
  const call = { name: "add", arguments: '{"a":2,"b":3}' };

  const fields: Readonly<Record<string, () => void>> = {
    example_id: () => expect(rollout.exampleIndex).toBe(row["example_id"]),
    prompt: () => expect(rollout.prompt).toEqual(row["prompt"]),
    completion: () => {
      expect(rollout.completion.map(({ role }) => role)).toEqual([
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(rollout.completion[0]).toMatchObject({
        content: "",
        tool_calls: [{ function: call }],
      });
      expect(rollout.completion.slice(1)).toMatchObject(listOf(row["completion"]).slice(1));
    },
    answer: () => expect([rollout.example["answer" as never], read!.expected]).toEqual(["5", "5"]),
    info: () => expect(rollout.example).toHaveProperty("info", row["info"]),
    reward: () => expect(rollout.reward).toBe(row["reward"]),
    error: () => expect([row["error"], rollout.status]).toEqual([null, "scored"]),
    timing: () => {
      expect(seconds(rollout.timing.setup)).toMatchObject(spanOf(timing["setup"]));
      expect(seconds(rollout.timing.generation)).toMatchObject(spanOf(timing["generation"]));
      expect(seconds(rollout.timing.scoring)).toMatchObject(spanOf(timing["scoring"]));
      const models = listOf(fieldsOf(timing["model"])["spans"]);
      expect(rollout.trajectory.map((turn) => seconds(turn.model))).toMatchObject(
        models.map(spanOf),
      );
      const [env] = listOf(fieldsOf(timing["env"])["spans"]);
      expect(seconds(rollout.trajectory[0]!.environment)).toMatchObject(spanOf(env));
    },
    is_completed: () => expect(rollout.status).toBe("scored"),
    is_truncated: () => expect(rollout.isTruncated).toBe(row["is_truncated"]),
    stop_condition: () => expect(rollout.stopReason).toBe(row["stop_condition"]),
    metrics: () => expect(rollout.scores).toEqual(row["metrics"]),
    tool_defs: () =>
      expect(rollout.toolSpecs).toEqual(
        listOf(row["tool_defs"]).map((spec) => {
          const { name, description, parameters } = fieldsOf(spec);
          return { name, description, parameters };
        }),
      ),
    token_usage: () =>
      expect(rollout.usage).toEqual({
        inputTokens: usage["input_tokens"],
        outputTokens: usage["output_tokens"],
      }),
  };

  test.each(Object.entries(fields))("has %s", (_, check) => check());

  test("has no other fields but copies of its metrics, and those of errors", () => {
    const known = new Set([...Object.keys(fields), ...Object.keys(rollout.scores)]);
    const all = linesOf("verifiers-0.3.1/results.jsonl").flatMap((text) =>
      Object.keys(fieldsOf(parseJson(text))),
    );
    expect([...new Set(all)].filter((name) => !known.has(name))).toEqual([
      "error_chain",
      "long_error_chain",
    ]);
  });
});

describe("an episode of verifiers 0.4.0", () => {
  const lines = linesOf("verifiers-0.4.0/traces.jsonl");
  const line = lines[1]!;
  const episode = fieldsOf(parseJson(line));
  const trace = fieldsOf(listOf(episode["traces"])[0]);
  const [read] = readAll(line);
  const { rollout } = read!;
  if (rollout.status !== "scored") throw new Error("It is scored.");
  const calls = listOf(trace["calls"]).map(fieldsOf);
  const timing = fieldsOf(trace["timing"]);
  const data = fieldsOf(fieldsOf(trace["task"])["data"]);
  const nodes = listOf(trace["nodes"]).map((node) => fieldsOf(fieldsOf(node)["message"]));

  const fields: Readonly<Record<string, () => void>> = {
    task: () => {
      expect(rollout.example).toMatchObject({ ...data, prompt: rollout.prompt });
      expect(rollout.exampleKey).toBe(fieldsOf(trace["task"])["key"]);
      expect([rollout.exampleIndex, read!.example, read!.expected]).toEqual([1, "1", "5"]);
    },
    tools: () => expect(rollout.toolSpecs).toMatchObject([{ name: "add", parameters: {} }]),
    nodes: () => {
      expect(rollout.prompt).toMatchObject(nodes.slice(0, 2));
      expect(rollout.completion.map(({ role }) => role)).toEqual([
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(rollout.completion[0]).toHaveProperty("tool_calls.0.function.name", "add");
      expect(rollout.completion[2]).toMatchObject(nodes[4]!);
    },
    calls: () => {
      expect(rollout.trajectory.map(({ finish }) => finish)).toEqual(["tool_calls", "stop"]);
      expect(calls[0]!["usage"]).toMatchObject({ prompt_tokens: 12, cached_input_tokens: 8 });
      expect(rollout.trajectory[0]!.usage).toEqual({
        inputTokens: 20,
        outputTokens: 5,
        cacheReadTokens: 8,
      });
      expect(seconds(rollout.trajectory[1]!.model)).toMatchObject(spanOf(calls[1]!["time"]));
    },
    rewards: () => {
      expect(rollout.scores).toMatchObject({ right: 1, unsure: 0.5 });
      expect(read!.scores.map(({ weight }) => weight)).toEqual([1, 0.5, 0]);
      expect(rollout.reward).toBe(1.25);
    },
    metrics: () => expect(rollout.scores).toMatchObject(fieldsOf(trace["metrics"])),
    is_completed: () => expect(rollout.status).toBe("scored"),
    ok: () => expect([trace["ok"], rollout.status]).toEqual([true, "scored"]),
    stop_condition: () => expect(rollout.stopReason).toBe("agent_completed"),
    errors: () => expect(trace["errors"]).toEqual([]),
    timing: () => {
      expect(seconds(rollout.timing.setup)).toMatchObject(spanOf(timing["setup"]));
      expect(seconds(rollout.timing.generation)).toMatchObject(spanOf(timing["agent"]));
      expect(seconds(rollout.timing.scoring)).toMatchObject(spanOf(timing["scoring"]));
      expect(read!.phases.map(({ name }) => name)).toEqual([
        "boot",
        "setup",
        "agent",
        "finalize",
        "scoring",
      ]);
    },
    num_output_tokens: () => expect(rollout.usage?.outputTokens).toBe(trace["num_output_tokens"]),
  };

  test.each(Object.entries(fields))("has %s", (_, check) => check());

  test("has the environment's name", () => {
    expect(rollout.environment).toBe(fieldsOf(episode["env"])["id"]);
  });

  test("has no other fields but those that no reader of ours needs", () => {
    const unread = [
      "version",
      "id",
      "verifiers",
      "agent",
      "mm_token_type_id_map",
      "request_rewrites",
      "response_rewrites",
      "info",
      "extra_usage",
      "is_timeout",
      // Verifiers counts these tokens once over all calls; a rollout counts them for each call.
      "num_input_tokens",
      "num_total_tokens",
    ];
    const all = lines.flatMap((text) =>
      Object.keys(fieldsOf(listOf(fieldsOf(parseJson(text))["traces"])[0])),
    );
    expect(new Set(all)).toEqual(new Set([...Object.keys(fields), ...unread]));
  });
});

describe("runs of verifiers", () => {
  const outcomes = async (name: string) => {
    const { rollouts, problems, metadata } = await readRun(fixture(name));
    expect(problems).toEqual([]);
    const sum = createSummarizer(["right", "unsure"], metadata.pass_threshold);
    for (const rollout of rollouts) sum.add(rollout);
    const rows = rollouts
      .toSorted((a, b) => a.exampleIndex - b.exampleIndex)
      .map((rollout) => [
        rollout.prompt.at(-1)?.content,
        rollout.status === "scored" ? rollout.reward : rollout.error.code,
        rollout.status === "scored" ? rollout.stopReason : "",
        rollout.isTruncated,
        rollout.trajectory.length,
      ]);
    return { rows, summary: sum.summary(), metadata, rollouts };
  };

  test("0.3.1: has each outcome, also of a run whose mean reward is NaN", async () => {
    const { rows, summary, metadata } = await outcomes("verifiers-0.3.1");
    expect(rows).toEqual([
      ["What is 1 + 1?", 1.25, "no_tools_called", false, 1],
      ["Add 2 and 3 with the tool.", 1.25, "max_turns_reached", false, 2],
      ["Add forever with the tool.", 0.25, "max_turns_reached", false, 2],
      ["Write a long text.", 1.25, "no_tools_called", true, 1],
      ["Fail.", "model", "", false, 0],
      ["Score this as NaN.", "environment", "", false, 1],
      ["Exceed the context.", 0.25, "prompt_too_long", true, 0],
      ["Take too long.", 0.25, "timeout_reached", false, 0],
    ]);
    expect(summary.counts).toMatchObject({ total: 8, scored: 6, failed: 2, truncated: 2 });
    expect(metadata).toMatchObject({ env_id: "sums", model: "scripted", avg_reward: null });
  });

  test("0.4.0: has each outcome, also of traces without messages", async () => {
    const { rows, summary, metadata } = await outcomes("verifiers-0.4.0");
    expect(rows).toEqual([
      ["What is 1 + 1?", 1.25, "agent_completed", false, 1],
      ["Add 2 and 3 with the tool.", 1.25, "agent_completed", false, 2],
      ["Add forever with the tool.", 0.25, "max_turns", true, 2],
      ["Write a long text.", 1.25, "agent_completed", true, 1],
      ["Fail.", "model", "", false, 0],
      ["Score this as NaN.", "environment", "", false, 1],
      ["Exceed the context.", "model", "", false, 0],
      ["Take too long.", 0.25, "agent_timeout", false, 0],
    ]);
    expect(summary.counts).toMatchObject({ total: 8, scored: 5, failed: 3, truncated: 2 });
    expect(metadata).toMatchObject({ env_id: "sums-v1", model: "scripted", num_examples: 8 });
  });

  test("an error of a model contains the response of the server", async () => {
    for (const name of ["verifiers-0.3.1", "verifiers-0.4.0"]) {
      const { rollouts } = await outcomes(name);
      const failed = rollouts.find(({ prompt }) => prompt.at(-1)?.content === "Fail.");
      expect(failed).toMatchObject({
        error: { code: "model", message: expect.stringContaining("out of order") },
      });
    }
  });
});

function spanOf(value: unknown): Fields {
  const { start, end } = fieldsOf(value);
  return { start: expect.closeTo(start as number, 3), end: expect.closeTo(end as number, 3) };
}
