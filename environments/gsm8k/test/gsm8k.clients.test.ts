import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { evaluate, policy } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { installMathVerify } from "@envs/scores/maths/install";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import gsm8k from "../src/index.ts";

const copies = mkdtempSync(join(tmpdir(), "envs-gsm8k-"));

beforeAll(async () => {
  vi.stubEnv("XDG_CACHE_HOME", join(import.meta.dirname, "../../../node_modules/.cache"));
  await installMathVerify();
});

afterAll(() => rmSync(copies, { recursive: true }));

/** Answers to the first problem, whose answer is `right`. */
const replies = (right: number): Readonly<Record<string, string>> => ({
  "as a sum": `\\boxed{${right - 1}+1}`,
  "with a unit": `\\boxed{${right} \\text{ pears}}`,
  "wrong by 1": `\\boxed{${right + 1}}`,
  "two boxes, the right one first": `\\boxed{${right}} or \\boxed{${right + 1}}`,
  "a list with the right one": `\\boxed{${right - 1}, ${right}, ${right + 1}}`,
  "a set with the right one": `\\boxed{\\{${right}, ${right + 1}\\}}`,
  "one or the other": `\\boxed{${right} \\text{ or } ${right + 1}}`,
  "an interval around it": `\\boxed{[${right - 1}, ${right + 1}]}`,
  "an inequality": `\\boxed{x \\ge ${right}}`,
  "an unknown": "\\boxed{x}",
  "a power that never ends": "\\boxed{9^{9^{9^{9}}}}",
});

test("rewards other ways to write the number, and no cheat", async () => {
  const environment = gsm8k();
  const once = { examples: 1, rolloutsPerExample: 1 };
  const { rollouts } = await evaluate(environment, { model: policy("solver"), ...once });
  const right = Number((rollouts[0]!.example as { answer: string }).answer);
  const rewards: Record<string, number | null> = {};
  for (const [name, reply] of Object.entries(replies(right))) {
    const { reward } = await evaluate(environment, { model: scriptedModel(reply), ...once });
    rewards[name] = reward.mean;
  }
  expect(rewards).toEqual({
    ...Object.fromEntries(Object.keys(replies(right)).map((name) => [name, 0])),
    "as a sum": 1,
    "with a unit": 1,
  });
});

test("plays the splits of a copy of openai/gsm8k", async () => {
  const folder = join(copies, "openai/gsm8k");
  mkdirSync(join(folder, "main"), { recursive: true });
  writeFileSync(
    join(folder, "README.md"),
    "---\nconfigs:\n- config_name: main\n  data_files:\n  - split: train\n    path: main/train.jsonl\n  - split: test\n    path: main/test.jsonl\n---\n",
  );
  for (const [split, dozens] of [
    ["train", 100],
    ["test", 3],
  ] as const) {
    const eggs = (dozens * 12).toLocaleString("en");
    const row = {
      question: `How many eggs are ${dozens} dozen?`,
      answer: `${dozens}*12\n#### ${eggs}`,
    };
    writeFileSync(join(folder, `main/${split}.jsonl`), `${JSON.stringify(row)}\n`);
  }
  vi.stubEnv("ENVS_DATASETS", copies);
  const answers: unknown[] = [];
  for (const split of ["train", "test"]) {
    const { rollouts, reward } = await evaluate(gsm8k(), { model: policy("solver"), split });
    answers.push((rollouts[0]!.example as { answer: string }).answer, reward.mean);
  }
  expect(answers).toEqual(["1,200", 1, "36", 1]);
});
