import { type Model, policy, rollout } from "@envs/core";
import { examples } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import longContext from "../src/index.ts";
import { textOf, writeLetters } from "../src/letters.ts";

const small = { characters: 20_000, examples: 3 };

test("passes the conformance suite", async () => {
  await expect(
    checkEnvironment(longContext, {
      packageName: packageJson.name,
      config: small,
      fullReward: 1,
      examples: 1,
    }),
  ).resolves.toBeUndefined();
});

test("records the sub-model calls of the code as branches of the turn", async () => {
  const environment = longContext({ ...small, kinds: ["count"] });
  const { value: first } = await examples(environment, {}).next();
  const played = await rollout(environment, first!.example, { model: policy("reader") });
  expect(played).toMatchObject({ reward: 1, scores: { asked: 2 } });
  expect(played.branches).toHaveLength(2);
  expect(played.branches![0]).toMatchObject({ turn: 0, messages: [{ role: "user" }] });
  expect(played.branches![0]!.message.content).toMatch(/^1: \w+\n2: \w+/);
});

test("returns an error to code for an empty budget and for a prompt that is too long", async () => {
  const environment = longContext({ ...small, subCalls: 1, maxPrompt: 100 });
  const { value: first } = await examples(environment, {}).next();
  const code = 'askAll(["a", "b", text, 5]).join("|")';
  const played = await rollout(environment, first!.example, {
    model: calling(code),
  });
  expect(played.completion[1]?.content).toMatch(
    /^hello\|The budget of 1 sub-model calls is used up\.\|Error: the prompt has \d+ characters\. The sub-model reads 100\.\|Error: a prompt is text\.$/,
  );
});

test("cuts the output of code, and keeps its variables for the next run", async () => {
  const environment = longContext({ ...small, maxOutput: 50 });
  const { value: first } = await examples(environment, {}).next();
  const played = await rollout(environment, first!.example, {
    model: calling("globalThis.kept = text.length; text", "kept"),
  });
  const { seed, characters } = first!.example as unknown as { seed: number; characters: number };
  const { length } = textOf(writeLetters(seed, characters));
  expect(played.completion[1]?.content).toMatch(
    new RegExp(`^Letter 1\\n[^]{41}\\n… ${length - 50} more characters\\. Print less\\.$`),
  );
  expect(played.completion[3]?.content).toBe(String(length));
});

test("writes texts of the length of the config, with one letter for the event", () => {
  for (const characters of [20_000, 60_000]) {
    const letters = writeLetters(1, characters);
    expect(textOf(letters).length).toBeGreaterThanOrEqual(characters);
    expect(textOf(letters).length).toBeLessThan(characters * 1.15);
    expect(letters.filter(({ needle }) => needle !== undefined)).toHaveLength(1);
  }
});

/** A model that runs code, one call per turn, then gives an empty reply. Sub-model calls get `hello`. */
function calling(...codes: readonly string[]): Model {
  const usage = { inputTokens: 1, outputTokens: 1 };
  return async ({ messages, tools }) => {
    const code = tools && codes[messages.filter(({ role }) => role === "tool").length];
    if (code === undefined)
      return { message: { role: "assistant", content: "hello" }, finish: "stop", usage };
    const call = { name: "run", arguments: JSON.stringify({ code }) };
    const tool_calls = [{ id: "1", type: "function" as const, function: call }];
    return { message: { role: "assistant", content: "", tool_calls }, finish: "tool_calls", usage };
  };
}
