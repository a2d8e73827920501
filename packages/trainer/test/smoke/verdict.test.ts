import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Learning, Probe, SmokeEvidence } from "../../src/smoke/evidence.ts";
import type { Interval } from "../../src/smoke/interval.ts";
import { leastEffect, verdictOf } from "../../src/smoke/verdict.ts";

const near = (mean: number, margin = 0.02): Interval => ({
  mean,
  low: mean - margin,
  high: mean + margin,
});

/** Bad replies earn less: the reward heeds what is said. */
const telling: readonly Probe[] = [
  { name: "policy:perfect", reward: 1 },
  { name: "mixed up", reward: 0.2, lead: near(0.8) },
  { name: "scrambled", reward: 0, lead: near(1) },
];
const deaf: readonly Probe[] = [
  { name: "policy:perfect", reward: 0.5 },
  { name: "mixed up", reward: 0.5, lead: near(0) },
  { name: "scrambled", reward: 0.5, lead: near(0.01) },
];

const still: Learning = {
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
  difference: near(0),
  deviation: 0.3,
  rewards: [0.4, 0.41, 0.4, 0.41],
  rise: near(0),
  zeroVariance: 0.1,
  truncated: 0,
};

function evidence(
  learning: Partial<Learning> = {},
  others: Partial<SmokeEvidence> = {},
): SmokeEvidence {
  return {
    probes: telling,
    failures: { played: 5000, failed: 0, codes: {} },
    isRelative: false,
    learning: { ...still, ...learning },
    ...others,
  };
}

describe("learnable", () => {
  test("is a reward that rose beyond chance", () => {
    const { answer, reason } = verdictOf(evidence({ after: 0.58, difference: near(0.17, 0.04) }));
    expect(answer).toBe("learnable");
    expect(reason).toBe(
      "reward rose from 0.41 to 0.58 (99 % interval of the difference: 0.13 to 0.21) in 40 steps",
    );
  });

  test("takes more than a trifle, if bad replies earn as much as good ones", () => {
    const trifle = near(0.01, 0.005);
    expect(verdictOf(evidence({ difference: trifle })).answer).toBe("learnable");
    const nothing = verdictOf(evidence({ difference: trifle }, { probes: deaf }));
    expect(nothing.answer).toBe("not learnable");
  });

  test("comes with a warning if bad replies earn as much as good ones", () => {
    const learned = evidence({ difference: near(0.3) }, { probes: deaf });
    expect(verdictOf(learned).answer).toBe("learnable");
    expect(verdictOf(learned).remarks.join()).toContain("may not be what you mean");
    const meant = evidence({ difference: near(0.3) });
    expect(verdictOf(meant).remarks).toEqual([]);
  });
});

describe("not learnable", () => {
  test("is a reward that stands still and does not heed what is said", () => {
    const { answer, reason } = verdictOf(evidence({}, { probes: deaf }));
    expect(answer).toBe("not learnable");
    expect(reason).toContain("reward did not move");
    expect(reason).toContain("although groups differ");
    expect(reason).toContain("is the reward related to what the model says?");
  });

  test("are groups of equal rewards, if the reward does not heed what is said", () => {
    const { answer, reason } = verdictOf(evidence({ zeroVariance: 1 }, { probes: deaf }));
    expect(answer).toBe("not learnable");
    expect(reason).toContain("every group had equal rewards, 0.41 on average");
  });

  test("is a constant reward, without any training", () => {
    const { learning: _, ...untrained } = evidence({}, { probes: deaf, constant: 0.5 });
    const { answer, reason } = verdictOf(untrained);
    expect(answer).toBe("not learnable");
    expect(reason).toBe(
      "every reward was 0.50, whatever was said: policy:perfect, mixed up, and scrambled earned the same",
    );
  });

  test("are rollouts that mostly fail, with what the first of them said", () => {
    const failures = {
      played: 100,
      failed: 100,
      codes: { score: 100 },
      message: "score: no judge",
    };
    const { learning: _, ...untrained } = evidence({}, { failures });
    expect(verdictOf(untrained)).toMatchObject({
      answer: "not learnable",
      reason: "every rollout failed, and a failure has no reward. The first: score: no judge",
    });
    const most = { ...failures, failed: 63 };
    expect(verdictOf(evidence({}, { failures: most })).reason).toContain("63 % of the rollouts");
  });
});

describe("nobody can tell", () => {
  test.each<[string, Partial<Learning>, Partial<SmokeEvidence>, string]>([
    ["a change that chance may make", { difference: near(0.05, 0.2) }, {}, "chance alone"],
    ["a model that is too small", {}, {}, "too hard for so small a model"],
    ["sparse rewards", { zeroVariance: 0.99, before: 0 }, {}, "99 % of the groups had equal"],
    ["a model that could do it before", { before: 0.99 }, {}, "hardly anything left to learn"],
    ["scores that compare rollouts", {}, { isRelative: true, probes: deaf }, "may stand still"],
    ["examples learned by heart", { rise: near(0.2) }, {}, "learns them by heart"],
    ["a training that broke off", {}, { obstacle: "the loss exploded" }, "the loss exploded"],
  ])("%s", (_, learning, others, reason) => {
    const verdict = verdictOf(evidence(learning, others));
    expect(verdict.answer).toBe("cannot tell");
    expect(verdict.reason).toContain(reason);
  });

  test("conversations that are too long for the minute", () => {
    const { learning: _, ...untrained } = evidence({}, { obstacle: "too long" });
    expect(verdictOf(untrained)).toMatchObject({ answer: "cannot tell", reason: "too long" });
  });
});

describe("remarks", () => {
  test("a policy that earns less than bad replies is a sign turned round", () => {
    const probes = [telling[0]!, { name: "scrambled", reward: 2, lead: near(-1) }];
    expect(verdictOf(evidence({}, { probes })).remarks[0]).toBe(
      "scrambled earns more than policy:perfect, by 0.98 to 1.02: is a sign wrong, or is the first policy not the best?",
    );
  });

  test("some failures, a small dataset and limits are told", () => {
    const failures = { played: 100, failed: 3, codes: { score: 3 }, message: "score: NaN" };
    const small = evidence({ isShared: true, examples: 12, truncated: 0.8 }, { failures });
    expect(verdictOf(small).remarks).toEqual([
      "3 of 100 rollouts failed and were left out. The first: score: NaN",
      "The dataset has only 12 examples, so the reward was measured on those that were learned from.",
      "80 % of the rollouts ran into a limit of tokens or turns.",
    ]);
  });
});

describe("whatever the evidence", () => {
  const share = fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000);
  const anything = fc.record({
    mean: fc.integer({ min: -1000, max: 1000 }).map((value) => value / 1000),
    margin: share,
    deviation: share,
    zeroVariance: share,
    probes: fc.constantFrom(telling, deaf),
    isRelative: fc.boolean(),
  });

  test("learnable is exactly what rose beyond chance, and beyond a trifle if nothing else speaks for it", () => {
    fc.assert(
      fc.property(anything, ({ mean, margin, deviation, zeroVariance, ...others }) => {
        const difference = near(mean, margin);
        const { answer } = verdictOf(evidence({ difference, deviation, zeroVariance }, others));
        const isEnough = others.probes === telling || mean >= leastEffect * deviation;
        const rose = mean - margin > 0 && isEnough;
        expect(answer === "learnable").toBe(rose);
      }),
    );
  });

  test("a reward that tells replies apart is never called not learnable", () => {
    fc.assert(
      fc.property(anything, ({ mean, margin, deviation, zeroVariance, isRelative }) => {
        const difference = near(mean, margin);
        const told = evidence({ difference, deviation, zeroVariance }, { isRelative });
        expect(verdictOf(told).answer).not.toBe("not learnable");
      }),
    );
  });

  test("a larger rise never makes a verdict worse", () => {
    const rank = ["not learnable", "cannot tell", "learnable"];
    fc.assert(
      fc.property(anything, share, (found, more) => {
        const { mean, margin, deviation, zeroVariance, ...others } = found;
        const judge = (value: number): number =>
          rank.indexOf(
            verdictOf(
              evidence({ difference: near(value, margin), deviation, zeroVariance }, others),
            ).answer,
          );
        expect(judge(mean + more)).toBeGreaterThanOrEqual(judge(mean));
      }),
    );
  });
});
