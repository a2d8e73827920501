import { expect, test } from "vitest";

import * as fixtures from "./fixtures.ts";
import firstFreeOpponent from "./fixtures/first-free-opponent.ts";
import sound from "./sound.ts";
import { findingsOf } from "./support.ts";

test("finds nothing in a sound environment", async () => {
  expect(await findingsOf(sound)).toEqual([]);
});

/** Each planted fault, and the finding that reports it. */
const planted: readonly (readonly [string, Parameters<typeof findingsOf>[0], readonly string[]])[] =
  [
    [
      "a perfect opponent that takes the first free cell",
      firstFreeOpponent,
      ["opponent-bias:first"],
    ],
    ["an example that cannot be solved", fixtures.unsolvable, ["solvability:low-reward"]],
    ["a reward for silence", fixtures.silenceWins, ["floor:silence"]],
    ["a reward for the form", fixtures.formatPays, ["format-only:empty"]],
    [
      "an answer that is looked for anywhere",
      fixtures.containsAnswer,
      ["all-alternatives:replies"],
    ],
    ["a reward for words of the prompt", fixtures.wordOverlap, ["prompt-echo:last-message"]],
    [
      "a reward that depends on earlier rollouts",
      fixtures.rememberedReward,
      ["shared-state:repeated"],
    ],
    ["the answer in the description of a tool", fixtures.leakyTool, ["answer-leak:tools"]],
    ["the answer in the prompt", fixtures.leakyPrompt, ["answer-leak:prompt"]],
    ["a reward for each call", fixtures.paidCalls, ["repeated-calls:calls"]],
    ["a score that throws", fixtures.brittle, ["odd-replies:empty"]],
    ["a row that occurs twice", fixtures.sameRows, ["duplicates:equal"]],
    ["rows in two splits", fixtures.sameRows, ["contamination:equal"]],
    ["an answer in the thoughts", fixtures.thinkingAloud, ["answer-in-thoughts:tags"]],
    ["a reply that reports its success", fixtures.believedReport, ["fake-tool-result:tags"]],
    ["white space that costs the reward", fixtures.exactText, ["whitespace:line-breaks"]],
    ["a constant reward", fixtures.noSignal, ["signal:flat"]],
    ["a word limit that counts spaces", fixtures.countedSpaces, ["look-alikes:joined-words"]],
    ["a judge whose marks a reply can contain", fixtures.openJudge, ["judge-injection:end-mark"]],
    ["code that runs outside of a sandbox", fixtures.unconfined, ["sandbox-escape:environment"]],
    [
      "a reward for length that a long best reply hides",
      fixtures.paidLength,
      ["long-reply:shorter"],
    ],
    [
      "a reward for the length of right replies",
      fixtures.paidLengthOfRightReplies,
      ["long-reply:shorter"],
    ],
    ["a tool whose error shows the answer", fixtures.talkativeTool, ["answer-leak:errors"]],
    [
      "a guard in the namespace of the model's code",
      fixtures.guardInside,
      ["self-graded-code:replaces-functions"],
    ],
    [
      "code that runs in the process of the environment",
      fixtures.codeInProcess,
      ["self-graded-code:process"],
    ],
  ];

test.each(planted)("finds %s", async (_, factory, ids) => {
  const rules = ids.map((id) => id.split(":")[0]!);
  expect(await findingsOf(factory, rules)).toEqual(expect.arrayContaining([...ids]));
});

/** The sound twins of planted faults, and the rules that must accept them. */
test.each([
  ["a long best reply", fixtures.longAndSound, "long-reply"],
  ["a tool whose error does not show the answer", fixtures.discreetTool, "answer-leak"],
  ["code that is graded outside", fixtures.gradedOutside, "self-graded-code"],
] as const)("accepts %s", async (_, factory, rule) => {
  expect(await findingsOf(factory, [rule])).toEqual([]);
});

test("accepts code in two splits that differs in its punctuation", async () => {
  expect(await findingsOf(fixtures.similarCode, ["contamination"])).toEqual([]);
});

test("accepts a long reply where silence is right", async () => {
  expect(await findingsOf(fixtures.silenceIsRight, ["long-reply"])).toEqual([]);
});

test("plays scripts of replies with the scripted sub-model of the environment", async () => {
  expect(await findingsOf(fixtures.recursive, ["whitespace", "odd-replies"])).toEqual([]);
});

test("accepts a judge whose marks a reply cannot contain", async () => {
  expect(await findingsOf(fixtures.quotedJudge, ["judge-injection"])).toEqual([]);
});
