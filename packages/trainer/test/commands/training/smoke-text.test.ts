import { stripVTControlCharacters } from "node:util";

import { widthOf } from "@envs/cli/kit/layout";
import type { SmokeReport } from "@envs/trainer";
import { describe, expect, test } from "vitest";

import {
  smokeExitCode,
  smokeJson,
  smokeLine,
  smokeReport,
} from "../../../src/commands/training/smoke-text.ts";

const report: SmokeReport = {
  verdict: {
    answer: "learnable",
    reason:
      "reward rose from 0.41 to 0.58 (99 % interval of the difference: 0.13 to 0.21) in 40 steps",
    warnings: [
      "3 of 4000 rollouts failed and were excluded. The first error: score: \u001B[2Jno judge",
    ],
  },
  evidence: {
    probes: [
      { name: "policy:perfect", reward: 1 },
      { name: "policy:echo", reward: 0.98, lead: { mean: 0.02, low: -0.01, high: 0.05 } },
      { name: "mixed up", reward: 0.25, lead: { mean: 0.75, low: 0.7, high: 0.8 } },
      { name: "scrambled", reward: null },
    ],
    failures: { played: 4000, failed: 3, codes: { score: 3 }, message: "score: no judge" },
    isRelative: false,
    isInformed: true,
    scripted: { deviation: 0.4, max: 1 },
    learning: {
      conversations: 1488,
      warmUpSteps: 200,
      medianTokens: 17,
      vocabulary: 96,
      steps: 40,
      rollouts: 5120,
      examples: 256,
      rolloutsPerExample: 4,
      isShared: false,
      before: 0.41,
      after: 0.58,
      difference: { mean: 0.17, low: 0.13, high: 0.21 },
      deviation: 0.31,
      rewards: Array.from({ length: 40 }, (_, step) => 0.4 + step / 200),
      rise: { mean: 0.2, low: 0.19, high: 0.21 },
      zeroVariance: 0.067,
      truncated: 0,
    },
  },
};

const plainReport = (width?: number): string =>
  stripVTControlCharacters(smokeReport(report, width));

describe("smokeReport", () => {
  test("shows the verdict, then the evidence", () => {
    expect(plainReport()).toMatchInlineSnapshot(`
      "✓ learnable: reward rose from 0.41 to 0.58 (99 % interval of the difference: 0.13 to 0.21) in 40
        steps.
      ! 3 of 4000 rollouts failed and were excluded. The first error: score: ␛[2Jno judge

      Rewards of scripted replies
        policy:perfect  1
        policy:echo     0.98
        mixed up        0.25  0.75 less  replies of policy:perfect to other messages
        scrambled       –                replies of policy:perfect with shuffled characters

      Training of a tiny model
        imitated  1,488 conversations of a weak teacher (median 17 tokens) in 200 steps
        trained   on 5,120 rollouts in 40 steps
        reward    0.41 → 0.58 on 256 other examples
        change    0.17 (99 % confidence interval: 0.13 to 0.21)
        steps     ▁▁▁▁▁▂▂▂▂▂▃▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▇▇▇▇▇█████ 0.4 → 0.595, a rise of 0.19 to 0.21
        groups    6.7% with equal rewards; standard deviation within an example: 0.31
        limits    0% of the rollouts were truncated
        failed    score 3 of 4,000 rollouts"
    `);
  });

  test("wraps sentences to the terminal's width and escapes control characters", () => {
    const [verdict = "", evidence = ""] = plainReport(50).split("\n\n");
    for (const line of verdict.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(50);
    expect(verdict).toContain("␛[2J");
    expect(evidence).toContain("policy:perfect");
  });

  test("shows only rewards of scripted replies without training", () => {
    const { learning: _, ...evidence } = report.evidence;
    const verdict = { ...report.verdict, answer: "not learnable" as const };
    const text = stripVTControlCharacters(smokeReport({ verdict, evidence }));
    expect(text).toMatch(/^✗ not learnable: /u);
    expect(text).not.toContain("Training of a tiny model");
  });

  test("converts the report to JSON with snake_case names", () => {
    expect(smokeJson(report)).toMatchObject({
      verdict: "learnable",
      constant_reward: null,
      learning: { warm_up_steps: 200, zero_variance: 0.067, difference: { low: 0.13 } },
      obstacle: null,
    });
  });
});

test.each([
  ["learnable", 0],
  ["not learnable", 1],
  // prose-ignore: a value of reports on disk
  ["cannot tell", 1],
] as const)("smokeExitCode() of the verdict %s is %i", (answer, code) => {
  expect(smokeExitCode({ answer })).toBe(code);
});

test("smokeLine formats progress as one line", () => {
  expect(smokeLine({ stage: "probing" })).toBe("playing the policies");
  expect(smokeLine({ stage: "learning", step: 3, steps: 80, reward: 0.4123 })).toBe(
    "training on rewards, step 3 of 80 · reward 0.412",
  );
});
