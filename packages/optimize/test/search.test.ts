import { callTools, defineEnvironment, random } from "@envs/core";
import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";

import { type Candidate, meanOf } from "../src/candidate.ts";
import { proposeMerge } from "../src/merge.ts";
import { paretoFront } from "../src/pareto.ts";
import { promptsOf, withPrompts } from "../src/prompts.ts";
import { readPrompt } from "../src/reflect.ts";

const candidate = (
  id: number,
  rewards: readonly number[],
  more: Partial<Candidate> = {},
): Candidate => ({
  id,
  prompts: { systemPrompt: `prompt ${id}` },
  parents: [],
  changed: [],
  rewards: new Map(rewards.map((reward, index) => [`e${index}`, reward])),
  mean: meanOf(rewards),
  rollouts: 0,
  ...more,
});

test("the front keeps a winner of each example, and no redundant candidate", () => {
  const ids = (rewards: readonly (readonly number[])[]): readonly number[] =>
    paretoFront(rewards.map((each, id) => candidate(id, each))).map((entry) => entry.candidate.id);
  expect(
    ids([
      [0, 0],
      [1, 0],
      [0, 1],
    ]),
  ).toEqual([1, 2]);
  expect(
    ids([
      [1, 0],
      [1, 1],
      [0, 1],
    ]),
  ).toEqual([1]);
  expect(
    ids([
      [1, 1],
      [1, 1],
    ]),
  ).toEqual([0]);
});

test("the Pareto front attains the best reward of each example", () => {
  const reward = fc.integer({ min: 0, max: 3 });
  const row = fc.array(reward, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
      const all = rows.map((rewards, id) => candidate(id, rewards));
      const front = paretoFront(all);
      for (const key of all[0]!.rewards.keys()) {
        const best = (of: readonly Candidate[]): number =>
          Math.max(...of.map(({ rewards }) => rewards.get(key)!));
        expect(best(front.map((entry) => entry.candidate))).toBe(best(all));
      }
      expect(front.every(({ wins }) => wins > 0)).toBe(true);
    }),
    { numRuns: cases(300) },
  );
});

test("a merge takes each prompt from the candidate that changed it", () => {
  const base = candidate(0, [0, 0], { prompts: { a: "a", b: "b" } });
  const first = candidate(1, [1, 0], { prompts: { a: "A", b: "b" }, parents: [0] });
  const second = candidate(2, [0, 1], { prompts: { a: "a", b: "B" }, parents: [0] });
  const all = [base, first, second];
  const propose = (isKnown: boolean) =>
    proposeMerge(all, [first, second], { random: random(1), isKnown: () => isKnown });
  expect(propose(false)).toMatchObject({ prompts: { a: "A", b: "B" } });
  expect(propose(true)).toBeUndefined();
});

test("candidates of one line, or that changed the same prompt only, are not merged", () => {
  const base = candidate(0, [0, 0], { prompts: { a: "a", b: "b" } });
  const child = candidate(1, [1, 0], { prompts: { a: "A", b: "b" }, parents: [0] });
  const grandchild = candidate(2, [0, 1], { prompts: { a: "A", b: "B" }, parents: [1] });
  const rival = candidate(3, [0, 1], { prompts: { a: "X", b: "b" }, parents: [0] });
  const all = [base, child, grandchild, rival];
  const merge = (...front: readonly Candidate[]) =>
    proposeMerge(all, front, { random: random(1), isKnown: () => false });
  expect(merge(child, grandchild)).toBeUndefined();
  expect(merge(child, rival)).toBeUndefined();
});

test("reads the last block of an answer, also one that contains backticks", () => {
  expect(readPrompt("No block.")).toBeUndefined();
  expect(readPrompt("```\nold\n```\nthen\n```text\nnew\n```")).toBe("new");
  expect(readPrompt("````\nUse ```js\nx\n``` here.\n````")).toBe("Use ```js\nx\n``` here.");
});

test("prompts are the system prompt and the descriptions of tools", () => {
  const search = defineEnvironment({
    name: "search",
    config: z.object({ tone: z.string().default("kind") }),
    systemPrompt: ({ config }) => `Be ${config.tone}.`,
    dataset: () => [{ prompt: "Who?" }],
    tools: { find: { description: "Find", input: z.object({}), execute: () => "Ada" } },
    rubric: { any: () => 1 },
    policies: { find: () => callTools([["find", {}]]) },
  })();
  expect(promptsOf(search)).toEqual({ systemPrompt: "Be kind.", "tools.find": "Find" });
  const changed = withPrompts(search, { systemPrompt: "Be brief.", "tools.find": "Find a name" });
  expect(promptsOf(changed)).toEqual({ systemPrompt: "Be brief.", "tools.find": "Find a name" });
  expect(promptsOf(search)).toEqual({ systemPrompt: "Be kind.", "tools.find": "Find" });
  expect(() => withPrompts(search, { "tools.fnd": "" })).toThrow(
    "search has no prompt named tools.fnd. It has: systemPrompt, tools.find.",
  );
});
