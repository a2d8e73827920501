import type { Interval } from "@envs/records";
// prose-ignore-file: “cannot tell” is an answer in the JSON report.
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Learning, Probe, SmokeEvidence } from "../../src/smoke/evidence.ts";
import { minEffect } from "../../src/smoke/judge-probes.ts";
import { verdictOn } from "../../src/smoke/verdict.ts";

const intervalAt = (mean: number, margin = 0.02): Interval => ({
  mean,
  low: mean - margin,
  high: mean + margin,
});

/** Probes whose reward depends on the reply. */
const sensitiveProbes: readonly Probe[] = [
  { name: "policy:perfect", reward: 1 },
  { name: "mixed up", reward: 0.2, lead: intervalAt(0.8) },
  { name: "scrambled", reward: 0, lead: intervalAt(1) },
];
/** Probes whose reward does not depend on the reply. */
const insensitiveProbes: readonly Probe[] = [
  { name: "policy:perfect", reward: 0.5 },
  { name: "mixed up", reward: 0.5, lead: intervalAt(0) },
  { name: "scrambled", reward: 0.5, lead: intervalAt(0.01) },
];

/** A deviation for which the intervals above are too wide to call two rewards equal. */
const imprecise = { deviation: 0.01, max: 1 };
const precise = { deviation: 0.4, max: 1 };

const withoutProgress: Learning = {
  conversations: 1000,
  warmUpSteps: 100,
  medianTokens: 20,
  vocabulary: 128,
  steps: 40,
  rollouts: 4000,
  examples: 256,
  rolloutsPerExample: 4,
  isShared: false,
  before: 0.41,
  after: 0.41,
  difference: intervalAt(0),
  deviation: 0.3,
  rewards: [0.4, 0.41, 0.4, 0.41],
  rise: intervalAt(0),
  zeroVariance: 0.1,
  truncated: 0,
};

function evidenceWith(
  learning: Partial<Learning> = {},
  others: Partial<SmokeEvidence> = {},
): SmokeEvidence {
  return {
    probes: sensitiveProbes,
    failures: { played: 5000, failed: 0, codes: {} },
    isRelative: false,
    isInformed: true,
    scripted: imprecise,
    learning: { ...withoutProgress, ...learning },
    ...others,
  };
}

describe("the verdict is learnable", () => {
  test("if the reward rose significantly", () => {
    const evidence = evidenceWith({ after: 0.58, difference: intervalAt(0.17, 0.04) });
    const { answer, reason } = verdictOn(evidence);
    expect(answer).toBe("learnable");
    expect(reason).toBe(
      "reward rose from 0.41 to 0.58 (99 % interval of the difference: 0.13 to 0.21) in 40 steps",
    );
  });

  test("for a small rise only if the reward depends on the reply", () => {
    const difference = intervalAt(0.01, 0.005);
    expect(verdictOn(evidenceWith({ difference })).answer).toBe("learnable");
    const insensitive = evidenceWith({ difference }, { probes: insensitiveProbes });
    expect(verdictOn(insensitive).answer).toBe("not learnable");
  });

  test("with a warning if wrong replies earn as much as good ones", () => {
    const difference = intervalAt(0.3);
    const { answer, warnings } = verdictOn(
      evidenceWith({ difference }, { probes: insensitiveProbes }),
    );
    expect(answer).toBe("learnable");
    expect(warnings.join()).toContain("something other than the task");
    expect(verdictOn(evidenceWith({ difference })).warnings).toEqual([]);
  });
});

describe("the verdict is not learnable", () => {
  test("if the reward stays constant and does not depend on the reply", () => {
    const { answer, reason } = verdictOn(evidenceWith({}, { probes: insensitiveProbes }));
    expect(answer).toBe("not learnable");
    expect(reason).toContain("reward did not change");
    expect(reason).toContain("although rewards differ within groups");
    expect(reason).toContain("Check that the reward depends on the reply");
  });

  test("if groups have equal rewards that do not depend on the reply", () => {
    const evidence = evidenceWith({ zeroVariance: 1 }, { probes: insensitiveProbes });
    const { answer, reason } = verdictOn(evidence);
    expect(answer).toBe("not learnable");
    expect(reason).toContain("every group had equal rewards, 0.41 on average");
  });

  test("if the reward is constant, without training", () => {
    const others = { probes: insensitiveProbes, constant: 0.5 };
    const { learning: _, ...untrained } = evidenceWith({}, others);
    const { answer, reason } = verdictOn(untrained);
    expect(answer).toBe("not learnable");
    expect(reason).toBe(
      "every reward was 0.50, whatever the reply: policy:perfect, mixed up, and scrambled earned the same",
    );
  });

  const [best] = insensitiveProbes;
  const longer = { name: "padded", reward: 0.9, lead: intervalAt(-0.4) };
  const mixedUp = (mean: number) => ({
    name: "mixed up",
    reward: 0.5 - mean,
    lead: intervalAt(mean),
  });
  const worseLetters = { name: "scrambled", reward: 0, lead: intervalAt(0.5) };
  test.each<[string, readonly Probe[], string]>([
    ["wrong replies earn as much", insensitiveProbes, "Check that the reward depends on the reply"],
    [
      "only longer replies earn more",
      [...insensitiveProbes, longer],
      "longer replies earn 0.90: the reward depends on the length",
    ],
    [
      "wrong replies earn more",
      [best!, mixedUp(-0.4)],
      "mixed up replies earn more than policy:perfect: 0.90 instead of 0.50",
    ],
    [
      "only the order of characters matters",
      [best!, mixedUp(0), worseLetters],
      "Check that the expected answer belongs to its example",
    ],
  ])("if %s, without training", (_, probes, reason) => {
    const { learning: __, ...untrained } = evidenceWith({}, { probes, scripted: precise });
    const verdict = verdictOn(untrained);
    expect(verdict).toMatchObject({ answer: "not learnable", warnings: [] });
    expect(verdict.reason).toContain(reason);
  });

  test("if most rollouts fail, with the first error", () => {
    const failures = {
      played: 100,
      failed: 100,
      codes: { score: 100 },
      message: "score: no judge",
    };
    const { learning: _, ...untrained } = evidenceWith({}, { failures });
    expect(verdictOn(untrained)).toMatchObject({
      answer: "not learnable",
      reason: "every rollout failed and has no reward. The first error: score: no judge",
    });
    const mostFailed = evidenceWith({}, { failures: { ...failures, failed: 63 } });
    expect(verdictOn(mostFailed).reason).toContain("63 % of the rollouts");
  });
});

describe("the verdict is cannot tell", () => {
  test.each<[string, Partial<Learning>, Partial<SmokeEvidence>, string]>([
    ["a change that may be chance", { difference: intervalAt(0.05, 0.2) }, {}, "may be chance"],
    ["a model that is too small", {}, {}, "too hard for a tiny model"],
    ["sparse rewards", { zeroVariance: 0.99, before: 0 }, {}, "99 % of the groups had equal"],
    ["a model that was good already", { before: 0.99 }, {}, "little left to learn"],
    [
      "scores that compare rollouts",
      {},
      { isRelative: true, probes: insensitiveProbes },
      "may stay constant",
    ],
    ["memorised examples", { rise: intervalAt(0.2) }, {}, "the model memorises them"],
    ["training that stopped early", {}, { obstacle: "the loss exploded" }, "the loss exploded"],
  ])("for %s", (_, learning, others, reason) => {
    const verdict = verdictOn(evidenceWith(learning, others));
    expect(verdict.answer).toBe("cannot tell");
    expect(verdict.reason).toContain(reason);
  });

  test("for conversations that are too long for the budget", () => {
    const { learning: _, ...untrained } = evidenceWith({}, { obstacle: "too long" });
    expect(verdictOn(untrained)).toMatchObject({ answer: "cannot tell", reason: "too long" });
  });
});

describe("warnings", () => {
  test("name a probe that earns more than the first policy", () => {
    const probes = [...sensitiveProbes, { name: "policy:worse", reward: 2, lead: intervalAt(-1) }];
    expect(verdictOn(evidenceWith({}, { probes })).warnings[0]).toBe(
      "policy:worse earns more than policy:perfect, by 0.98 to 1.02. Check the signs of the scores' weights, and list the best policy first.",
    );
  });

  test("report that repeated replies earn more", () => {
    const probes = [...sensitiveProbes, { name: "padded", reward: 2, lead: intervalAt(-1) }];
    expect(verdictOn(evidenceWith({}, { probes })).warnings[0]).toBe(
      "Replies of policy:perfect earn more if they are repeated, by 0.98 to 1.02. A model may learn to write long replies.",
    );
  });

  test("report some failures, a small dataset and truncated rollouts", () => {
    const failures = { played: 100, failed: 3, codes: { score: 3 }, message: "score: NaN" };
    const learning = { isShared: true, examples: 12, truncated: 0.8 };
    expect(verdictOn(evidenceWith(learning, { failures })).warnings).toEqual([
      "3 of 100 rollouts failed and were excluded. The first error: score: NaN",
      "The dataset has only 12 examples, so the reward was measured on the training examples.",
      "80 % of the rollouts were truncated by a limit of tokens or turns.",
    ]);
  });
});

describe("for any evidence", () => {
  const share = fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000);
  const anyEvidence = fc.record({
    mean: fc.integer({ min: -1000, max: 1000 }).map((value) => value / 1000),
    margin: share,
    deviation: share,
    zeroVariance: share,
    probes: fc.constantFrom(sensitiveProbes, insensitiveProbes),
    isRelative: fc.boolean(),
  });

  test("the verdict is learnable if and only if the reward rose significantly and enough", () => {
    fc.assert(
      fc.property(anyEvidence, ({ mean, margin, deviation, zeroVariance, ...others }) => {
        const difference = intervalAt(mean, margin);
        const { answer } = verdictOn(evidenceWith({ difference, deviation, zeroVariance }, others));
        const isEnough = others.probes === sensitiveProbes || mean >= minEffect * deviation;
        expect(answer === "learnable").toBe(mean - margin > 0 && isEnough);
      }),
    );
  });

  test("the verdict is never not learnable if the reward depends on the reply", () => {
    fc.assert(
      fc.property(anyEvidence, ({ mean, margin, deviation, zeroVariance, isRelative }) => {
        const difference = intervalAt(mean, margin);
        const evidence = evidenceWith({ difference, deviation, zeroVariance }, { isRelative });
        expect(verdictOn(evidence).answer).not.toBe("not learnable");
      }),
    );
  });

  test("a larger rise never worsens the verdict", () => {
    const ranking = ["not learnable", "cannot tell", "learnable"];
    fc.assert(
      fc.property(anyEvidence, share, (sample, increase) => {
        const { mean, margin, deviation, zeroVariance, ...others } = sample;
        const rankAt = (value: number): number => {
          const learning = { difference: intervalAt(value, margin), deviation, zeroVariance };
          return ranking.indexOf(verdictOn(evidenceWith(learning, others)).answer);
        };
        expect(rankAt(mean + increase)).toBeGreaterThanOrEqual(rankAt(mean));
      }),
    );
  });
});
