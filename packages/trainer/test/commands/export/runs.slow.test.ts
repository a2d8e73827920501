import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { assistantMessage, type AssistantMessage, textOf } from "@envs/core";
import { modelServer } from "@envs/models/testing";
import type { ChatRow } from "@envs/records";
import { findRuns } from "@envs/records/node";
import { describe, expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../../../cli/test/command.ts";

const reverse = "./environments/reverse-text";
const tictactoe = "./environments/tictactoe";

async function playRun(args: readonly string[], environment = reverse): Promise<string> {
  const save = await temporaryFolder();
  const { code, stderr } = await envsHere(["eval", environment, ...args, "--save", save]);
  expect(code, stderr).toBe(0);
  return (await findRuns(save))[0]!;
}

function rowsOf(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("export sft", () => {
  test("writes the same conversations as envs synth", async () => {
    const run = await playRun(["-m", "policy:perfect", "-n", "4", "-r", "2"]);
    const filter = ["--where", "exact == 1", "--bare"];
    const { code, stdout, stderr } = await envsHere(["export", "sft", run, ...filter]);
    expect(code).toBe(0);
    expect(stderr).toContain("kept      4 of 8 rollouts; excluded: 4 duplicate");
    const file = join(run, "again.jsonl");
    await envsHere(["synth", run, ...filter, "-o", file]);
    expect(stdout).toBe(await readFile(file, "utf8"));
    const none = await envsHere(["export", "sft", run, "--where", "exact == 0"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("No rollout matches")]);
  });

  test("writes plain replies as calls of `respond` with --calls", async () => {
    const run = await playRun(["-m", "policy:optimal", "-n", "3", "-r", "1"], tictactoe);
    const plain = rowsOf((await envsHere(["export", "sft", run])).stdout) as unknown as ChatRow[];
    const { stdout } = await envsHere(["export", "sft", run, "--calls"]);
    const called = rowsOf(stdout) as unknown as ChatRow[];
    expect(called).toHaveLength(plain.length);
    for (const [row, { messages, tools, ...source }] of called.entries()) {
      expect(source).toMatchObject({ reward: plain[row]!.reward });
      expect(tools!.map((tool) => tool.function.name)).toEqual(["respond"]);
      expect(messages).toHaveLength(plain[row]!.messages.length);
      for (const [index, message] of plain[row]!.messages.entries()) {
        const converted = messages[index]!;
        if (message.role === "assistant") {
          const [call] = (converted as AssistantMessage).tool_calls!;
          expect(call!.function.name).toBe("respond");
          expect(JSON.parse(call!.function.arguments)).toEqual({ text: message.content });
          const answer = messages[index + 1];
          if (answer !== undefined)
            expect(answer).toMatchObject({ role: "tool", tool_call_id: call!.id });
        } else expect(converted.content).toBe(message.content);
      }
    }
  });
});

describe("export samples", () => {
  test("writes token ids, masks and the log-probabilities with which the model sampled them", async () => {
    // One token per letter, and the token 1000 at the start of each message.
    const codes = (said: string): number[] => Array.from(said, (letter) => letter.codePointAt(0)!);
    const answer = "<reversed>no</reversed>";
    await using server = await modelServer({
      answer: ({ messages }) => ({
        message: assistantMessage(answer),
        finish: "stop",
        tokens: {
          promptIds: messages.flatMap(({ content }) => [1000, ...codes(textOf(content))]),
          completionIds: codes(answer),
          completionLogprobs: codes(answer).map((code) => -code / 1000),
        },
      }),
    });
    const run = await playRun([
      "-m",
      "model",
      "--base-url",
      server.url,
      "--tokens",
      "-n",
      "2",
      "-r",
      "1",
    ]);
    const { code, stdout } = await envsHere(["export", "samples", run]);
    expect(code).toBe(0);
    const samples = rowsOf(stdout);
    expect(samples).toHaveLength(2);
    const sampled = codes(answer);
    for (const sample of samples) {
      const ids = sample.input_ids as number[];
      const promptLength = ids.length - sampled.length;
      expect(ids.slice(promptLength)).toEqual(sampled);
      expect(ids[0]).toBe(1000);
      expect(sample.loss_mask).toEqual(
        [...ids.keys()].map((index) => Number(index >= promptLength)),
      );
      expect(sample.logprobs).toEqual(
        [...ids.keys()].map((index) => (index < promptLength ? 0 : -ids[index]! / 1000)),
      );
      expect(sample).toMatchObject({ environment: "reverse-text", branch: 0, is_truncated: false });
      expect(sample.reward).toEqual(expect.any(Number));
    }
  });

  test("fails if no rollout has token ids", async () => {
    const run = await playRun(["-m", "policy:perfect", "-n", "1", "-r", "1"]);
    const { code, stdout, stderr } = await envsHere(["export", "samples", run]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("None of the 1 rollouts has token ids");
  });
});
