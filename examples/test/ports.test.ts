import { join } from "node:path";

import { evaluate, policy } from "@envs/core";
import { expect, test } from "vitest";

import bfcl from "../ports/bfcl-v3.ts";
import boolq from "../ports/boolq.ts";
import githubMcp from "../ports/github-mcp.ts";
import math500 from "../ports/math500.ts";
import simpleqa from "../ports/simpleqa.ts";
import { areRight } from "../ports/support/function-calls.ts";
import vpct from "../ports/vpct-1.ts";
import { careful } from "./support/careful-judge.ts";
import { datasets, testPorts, useSamples } from "./support/test-ports.ts";

useSamples();
const folder = join(datasets, "gorilla-llm/Berkeley-Function-Calling-Leaderboard");

testPorts([
  { factory: boolq, means: { gold: 1, "always-true": 0.5, both: 0 } },
  { factory: math500, means: { gold: 1, unboxed: 0 } },
  { factory: vpct, means: { gold: 1, middle: 1 / 3, all: 0 } },
  { factory: githubMcp, means: { gold: 1, guessing: 0 } },
  { factory: simpleqa, means: { gold: 1, unsure: 0, pleading: 0 } },
  {
    factory: bfcl,
    means: { best: 1, gold: 1, "first-call": 0.75, "every-tool": 0 },
    config: { simple: { folder }, parallel: { folder }, irrelevance: { folder } },
  },
]);

test("simpleqa records why the judge decided", async () => {
  const { rollouts } = await evaluate(simpleqa(), {
    model: policy("pleading"),
    judge: careful,
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(rollouts[0]).toMatchObject({
    scores: { correct: 0 },
    feedback: { correct: "INCORRECT\n\nIt lacks the true answer." },
  });
});

test("github-mcp answers from the server", async () => {
  const { rollouts, tools } = await evaluate(githubMcp(), {
    model: policy("gold"),
    judge: careful,
    examples: 3,
    rolloutsPerExample: 1,
  });
  const results = rollouts.map(({ completion }) => completion[1]?.content);
  expect(results).toEqual([
    expect.stringContaining("Ferry times are wrong in winter"),
    expect.stringContaining("2.4.1"),
    expect.stringContaining("Read the tide table once"),
  ]);
  expect(tools).toMatchObject({ list_issues: { calls: 1, errors: 0 } });
});

test.each([
  ["ignores case and punctuation of texts", { origin: "tarn.", adults: 2 }, true],
  [
    "accepts an optional parameter with its default",
    { origin: "Tarn", adults: 2, currency: "EUR" },
    true,
  ],
  ["rejects an unknown parameter", { origin: "Tarn", adults: 2, dog: true }, false],
  ["rejects a text in place of a number", { origin: "Tarn", adults: "2" }, false],
  ["rejects a missing parameter", { origin: "Tarn" }, false],
])("bfcl-v3 %s", (_, values, isRight) => {
  const possible = { origin: ["Tarn"], adults: [2], currency: ["", "EUR"] };
  expect(areRight([["fare", values]], [{ fare: possible }])).toBe(isRight);
});
