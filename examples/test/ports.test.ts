import { join } from "node:path";

import { evaluate, type Model, policy } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";

import aime2024 from "../ports/aime2024.ts";
import bfcl from "../ports/bfcl-v3.ts";
import boolq from "../ports/boolq.ts";
import clbench from "../ports/clbench.ts";
import colorCodeword from "../ports/color-codeword.ts";
import creativeWriting from "../ports/creative-writing.ts";
import githubMcp from "../ports/github-mcp.ts";
import hellaswag from "../ports/hellaswag.ts";
import math500 from "../ports/math500.ts";
import nytConnections from "../ports/nyt-connections.ts";
import searchR1Ish from "../ports/search-r1-ish.ts";
import simpleqa from "../ports/simpleqa.ts";
import { areRight } from "../ports/support/function-calls.ts";
import vpct from "../ports/vpct-1.ts";
import { careful, gradesOf, verdict } from "./support/careful-judge.ts";
import { datasets, testPorts, useSamples } from "./support/test-ports.ts";

useSamples();
const folder = join(datasets, "gorilla-llm/Berkeley-Function-Calling-Leaderboard");
const puzzles = join(datasets, "nyt-connections/connections.json");

testPorts([
  { factory: boolq, means: { gold: 1, "always-true": 0.5, both: 0 } },
  { factory: hellaswag, means: { gold: 1, "always-a": 1 / 3, all: 0 } },
  { factory: math500, means: { gold: 1, unboxed: 0 } },
  { factory: aime2024, means: { gold: 1, "boxed-in-thoughts": 0, unboxed: 0 } },
  { factory: colorCodeword, means: { gold: 1, "last-squares": 0, "all-red": 0 } },
  { factory: vpct, means: { gold: 1, middle: 1 / 3, all: 0 } },
  { factory: searchR1Ish, means: { gold: 1, lazy: 0 } },
  { factory: githubMcp, means: { gold: 1, guessing: 0 } },
  { factory: simpleqa, means: { gold: 1, unsure: 0, pleading: 0 } },
  { factory: creativeWriting, means: { elements: 1, first: 0.64, untagged: 0 } },
  { factory: clbench, means: { gold: 1, "all-but-one": 0, pleading: 0, silent: 0 } },
  {
    factory: nytConnections,
    means: { gold: 1.6, "same-group": 0.15, "one-away": 0.1, "in-thoughts": 0, "all-words": 0 },
    config: { file: puzzles },
  },
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

test("creative-writing grades a story by the mean of the panel", async () => {
  const strict: Model = async () => verdict(gradesOf(0));
  const { reward } = await evaluate(creativeWriting(), {
    model: policy("elements"),
    judge: [careful, strict],
    examples: 2,
    rolloutsPerExample: 1,
  });
  expect(reward.mean).toBeCloseTo(0.5, 12);
});

test("search-r1-ish finds the articles of its question", async () => {
  const { rollouts } = await evaluate(searchR1Ish(), {
    model: policy("gold"),
    judge: careful,
    examples: 1,
    rolloutsPerExample: 1,
  });
  const [first, second] = rollouts[0]!.completion.filter(({ role }) => role === "tool");
  expect(first?.content).toMatch(/^Orla Brandt: Orla Brandt was a painter/);
  expect(second?.content).toMatch(/^Heron Island: Heron Island is an island in the river Tarn/);
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

test("clbench asks its judge once for both scores, and again if the verdict lacks a requirement", async () => {
  let calls = 0;
  const hasty: Model = async (request) => {
    calls += 1;
    return calls === 1 ? verdict(JSON.stringify({ met: [true] })) : await careful(request);
  };
  const { rollouts } = await evaluate(clbench(), {
    model: policy("all-but-one"),
    judge: hasty,
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(rollouts[0]).toMatchObject({ scores: { correct: 0, met: 2 / 3 } });
  expect(calls).toBe(2);
});

test("nyt-connections costs a life for the second of two unreadable replies", async () => {
  const right = (guess: string): string => `<guess>${guess}</guess>`;
  const { rollouts } = await evaluate(nytConnections({ file: puzzles }), {
    model: scriptedModel(
      "I think of rivers.",
      right("elbe, Oder ,RHINE, weser"),
      "rivers",
      right("ASH, BEECH, ELM"),
      right("ASH, BEECH, ELM, OAK"),
      right("CENT, DIME, NICKEL, PENNY"),
    ),
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(rollouts[0]).toMatchObject({
    scores: { solved: 1, lives: 3 / 4, groups: 1, format: 1 / 2 },
  });
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
