import fc from "fast-check";
import { expect, test } from "vitest";

import { datumLoss } from "../../src/algorithms/datum-loss.ts";
import { addSums, type LossSums } from "../../src/algorithms/loss-result.ts";
import type { LossSettings } from "../../src/algorithms/loss-settings.ts";
import type { Datum, Forward } from "../../src/backend.ts";
import { referenceGradient, referenceLoss } from "./reference-loss.ts";

interface Case {
  readonly datum: Datum;
  readonly forward: Forward;
}

interface Target {
  readonly logprob?: number;
  readonly sampling?: number;
  readonly old?: number;
  readonly reference?: number;
  readonly advantage?: number;
  readonly entropy?: number;
  readonly weight?: number;
}

/** Builds a datum; leaves out columns that no target has. */
function caseOf(...targets: readonly Target[]): Case {
  const column = (name: keyof Target, fallback = 0): Float32Array =>
    Float32Array.from(targets, (target) => target[name] ?? fallback);
  const has = (name: keyof Target): boolean => targets.some((target) => target[name] !== undefined);
  return {
    datum: {
      inputs: new Int32Array(targets.length),
      targets: new Int32Array(targets.length),
      weights: column("weight", 1),
      ...(has("sampling") ? { samplingLogprobs: column("sampling") } : {}),
      ...(has("old") ? { oldLogprobs: column("old") } : {}),
      ...(has("reference") ? { referenceLogprobs: column("reference") } : {}),
      ...(has("advantage") ? { advantages: column("advantage") } : {}),
    },
    forward: {
      logprobs: column("logprob"),
      ...(has("entropy") ? { entropies: column("entropy") } : {}),
    },
  };
}

// Multiples of 0.01 are far enough from clipping bounds for finite differences, and occur on both sides of them.
const hundredths = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((value) => value / 100);

const target: fc.Arbitrary<Target> = fc.record({
  logprob: hundredths(-3, 0),
  sampling: hundredths(-3, 0),
  old: hundredths(-3, 0),
  reference: hundredths(-3, 0),
  advantage: hundredths(-2, 2),
  entropy: hundredths(0, 2),
  weight: fc.constantFrom(0, 1, 0.25),
});

const cases: fc.Arbitrary<Case> = fc
  .record({
    targets: fc.array(target, { minLength: 1, maxLength: 6 }),
    omitted: fc.subarray(["old", "reference", "entropy"] as const),
  })
  .map(({ targets, omitted }) =>
    caseOf(
      ...targets.map((all) =>
        Object.fromEntries(
          Object.entries(all).filter(([name]) => !omitted.some((column) => column === name)),
        ),
      ),
    ),
  );

const losses: readonly LossSettings[] = [
  { name: "cross_entropy" },
  { name: "cispo" },
  { name: "cispo", epsilonHigh: 1.28 },
  { name: "importance_sampling" },
  { name: "importance_sampling", importanceCap: 1.1 },
  { name: "clip" },
  { name: "clip", epsilonLow: 0.1 },
  { name: "clip", epsilonHigh: 0.28 },
  { name: "clip", delta: 1.5 },
  { name: "clip", delta: 1.1 },
  { name: "clip", dualClip: 3 },
  { name: "clip", epsilonLow: 0.31, epsilonHigh: 0.43, delta: 4.1, dualClip: 2.3 },
  { name: "clip", importanceLevel: "sequence" },
  { name: "clip", importanceLevel: "sequence", epsilonLow: 3e-4, epsilonHigh: 4e-4 },
  { name: "cispo", importanceCorrection: "token_mask" },
  { name: "clip", importanceCorrection: "sequence_truncate", importanceCap: 1.5 },
  { name: "cispo", importanceCorrection: "sequence_mask" },
  { name: "sapo" },
  { name: "sapo", positiveTemperature: 2, negativeTemperature: 0.5 },
];

const withTerms = (settings: LossSettings, { datum, forward }: Case): LossSettings =>
  settings.name === "cross_entropy"
    ? settings
    : {
        ...settings,
        ...(datum.referenceLogprobs === undefined ? {} : { klCoefficient: 0.7 }),
        ...(forward.entropies === undefined ? {} : { entropyCoefficient: 0.3 }),
      };

const expectClose = (actual: Iterable<number>, expected: Iterable<number>): void => {
  const [left, right] = [[...actual], [...expected]];
  expect(left.length).toBe(right.length);
  left.forEach((value, index) => {
    const other = right[index]!;
    expect(Math.abs(value - other)).toBeLessThanOrEqual(1e-4 * Math.max(1, Math.abs(other)));
  });
};

test.each(losses)(
  "$name with $epsilonHigh $delta $dualClip $importanceLevel $importanceCorrection matches its formula",
  (loss) => {
    fc.assert(
      fc.property(cases, (example) => {
        const { datum, forward } = example;
        const settings = withTerms(loss, example);
        const { value, gradLogprobs, gradEntropies, sums } = datumLoss(settings, datum, forward);
        const logprobs = [...forward.logprobs];
        const entropies = [...(forward.entropies ?? [])];
        expectClose(
          [value],
          [referenceLoss(settings, datum, { live: logprobs, frozen: logprobs }, entropies)],
        );
        expectClose(gradLogprobs, referenceGradient(settings, datum, forward));
        const coefficient =
          settings.name === "cross_entropy" ? 0 : (settings.entropyCoefficient ?? 0);
        expectClose(
          gradEntropies,
          datum.weights.map((weight) => -coefficient * weight),
        );
        expect(sums["tokens"]).toBe(datum.weights.filter((weight) => weight !== 0).length);
        expect(sums["nonFinite"]).toBe(0);
      }),
      { numRuns: 200 },
    );
  },
);

test("clip has no gradient for a positive advantage at a ratio of 1.5", () => {
  const { datum, forward } = caseOf({
    logprob: Math.log(0.75),
    sampling: Math.log(0.5),
    advantage: 2,
  });
  const { value, gradLogprobs, sums } = datumLoss({ name: "clip" }, datum, forward);
  expect(value).toBeCloseTo(-2.4, 6);
  expect(gradLogprobs[0]).toBe(0);
  expect(sums["clipped"]).toBe(1);
  expect(sums["ratio"]).toBeCloseTo(1.5, 6);
  expect(sums["approxKl"]).toBeCloseTo(0.5 - Math.log(1.5), 6);
});

test("clip is unbounded for a negative advantage and a large ratio, except with delta or dualClip", () => {
  const { datum, forward } = caseOf({ logprob: 0, sampling: Math.log(0.125), advantage: -1 });
  const gradient = (settings: LossSettings): number =>
    datumLoss(settings, datum, forward).gradLogprobs[0]!;
  const value = (settings: LossSettings): number => datumLoss(settings, datum, forward).value;
  expect(value({ name: "clip" })).toBeCloseTo(8, 5);
  expect(gradient({ name: "clip" })).toBeCloseTo(8, 5);
  expect(value({ name: "clip", delta: 4 })).toBeCloseTo(4, 6);
  expect(gradient({ name: "clip", delta: 4 })).toBe(0);
  expect(value({ name: "clip", dualClip: 3 })).toBeCloseTo(3, 6);
  expect(gradient({ name: "clip", dualClip: 3 })).toBe(0);
});

test("CISPO has a gradient for a token whose weight is clipped", () => {
  const { datum, forward } = caseOf({ logprob: -0.5, sampling: -4.5, advantage: 2 });
  const { value, gradLogprobs, sums } = datumLoss({ name: "cispo" }, datum, forward);
  expect(value).toBeCloseTo(-5 * 2 * -0.5, 6);
  expect(gradLogprobs[0]).toBeCloseTo(-10, 6);
  expect(sums["clipped"]).toBe(1);
});

test("all policy losses have the same gradient at a ratio of 1", () => {
  fc.assert(
    fc.property(cases, ({ datum, forward }) => {
      const { oldLogprobs: _, ...others } = datum;
      const onPolicy = { ...others, samplingLogprobs: forward.logprobs };
      const expected = datum.weights.map((weight, index) => -weight * datum.advantages![index]!);
      for (const name of ["cispo", "clip", "sapo", "importance_sampling"] as const)
        expectClose(datumLoss({ name }, onPolicy, forward).gradLogprobs, expected);
    }),
  );
});

test("a mismatch between sampler and trainer is corrected up to the cap", () => {
  const { datum, forward } = caseOf(
    { logprob: -1, old: -1, sampling: -1.5, advantage: 1 },
    { logprob: -1, old: -1, sampling: -4, advantage: 1 },
  );
  const { gradLogprobs, sums } = datumLoss({ name: "cispo" }, datum, forward);
  expectClose(gradLogprobs, [-Math.exp(0.5), -3]);
  expect(sums["importance"]).toBeCloseTo(Math.exp(0.5) + 3, 5);
  expect(sums["mismatch"]).toBeCloseTo(3.5, 5);
});

test("targets of weight 0 are ignored, even if they have NaN", () => {
  const maskedTarget: fc.Arbitrary<Target> = target.map((value) => ({
    ...value,
    weight: 0,
    logprob: NaN,
    sampling: Infinity,
    old: NaN,
    advantage: NaN,
    entropy: NaN,
  }));
  fc.assert(
    fc.property(fc.array(target, { maxLength: 4 }), maskedTarget, (targets, masked) => {
      for (const loss of losses) {
        const valid = caseOf(...targets, {
          ...masked,
          logprob: -1,
          sampling: -1,
          old: -1,
          advantage: 0,
          entropy: 0,
        });
        const invalid = caseOf(...targets, masked);
        expect(datumLoss(loss, invalid.datum, invalid.forward)).toEqual(
          datumLoss(loss, valid.datum, valid.forward),
        );
      }
    }),
  );
});

/** Losses with one number for all targets of a sequence. */
function isOfSequence(loss: LossSettings): boolean {
  if (loss.name === "cross_entropy") return false;
  return (
    (loss.importanceCorrection?.startsWith("sequence") ?? false) ||
    (loss.name === "clip" && loss.importanceLevel === "sequence")
  );
}

test("the KL penalty has the gradient of the KL divergence from the reference", () => {
  // A policy over three tokens. The expectation over its samples is exact: each token, with its probability as weight.
  const policy = [0.6, 0.3, 0.1];
  const reference = [0.2, 0.5, 0.3];
  const klAt = (probabilities: readonly number[]): number =>
    probabilities.reduce((sum, p, token) => sum + p * Math.log(p / reference[token]!), 0);
  const logits = policy.map(Math.log);
  const softmax = (values: readonly number[]): number[] => {
    const total = values.reduce((sum, value) => sum + Math.exp(value), 0);
    return values.map((value) => Math.exp(value) / total);
  };
  const { datum, forward } = caseOf(
    ...policy.map((p, token) => ({
      logprob: Math.log(p),
      sampling: Math.log(p),
      reference: Math.log(reference[token]!),
      advantage: 0,
      weight: p,
    })),
  );
  const { gradLogprobs } = datumLoss({ name: "cispo", klCoefficient: 1 }, datum, forward);
  // ∂ logπ(token) / ∂ logit = 1[same] − π(logit)
  const gradient = policy.map((p, logit) =>
    gradLogprobs.reduce((sum, slope, token) => sum + slope * (Number(token === logit) - p), 0),
  );
  const step = 1e-5;
  const expected = logits.map((_, moved) => {
    const at = (shift: number): number =>
      klAt(softmax(logits.map((value, index) => (index === moved ? value + shift : value))));
    return (at(step) - at(-step)) / (2 * step);
  });
  gradient.forEach((value, index) => expect(value).toBeCloseTo(expected[index]!, 5));
});

test("SAPO's gradient fades with the distance of the ratio from 1", () => {
  const slopeAt = (logRatio: number): number => {
    const { datum, forward } = caseOf({ logprob: -1, sampling: -1 - logRatio, advantage: 1 });
    return -datumLoss({ name: "sapo" }, datum, forward).gradLogprobs[0]! / Math.exp(logRatio);
  };
  expect(slopeAt(0)).toBeCloseTo(1, 6);
  expect(slopeAt(1)).toBeLessThan(0.6);
  expect(slopeAt(2)).toBeLessThan(0.01);
});

test("a sequence above the cap is excluded by sequence_mask, and limited by sequence_truncate", () => {
  const { datum, forward } = caseOf(
    { logprob: -1, old: -1, sampling: -2, advantage: 1 },
    { logprob: -1, old: -1, sampling: -1.5, advantage: 1 },
  );
  const gradients = (importanceCorrection: "sequence_mask" | "sequence_truncate"): number[] => [
    ...datumLoss({ name: "cispo", importanceCorrection }, datum, forward).gradLogprobs,
  ];
  expectClose(gradients("sequence_mask"), [0, 0]);
  expectClose(gradients("sequence_truncate"), [-3, -3]);
});

test("the losses and sums of shards add up to those of the batch", () => {
  fc.assert(
    fc.property(fc.array(target, { minLength: 2, maxLength: 8 }), fc.nat(), (targets, number) => {
      const index = 1 + (number % (targets.length - 1));
      for (const loss of losses) {
        if (isOfSequence(loss)) continue;
        const [whole, ...shards] = [targets, targets.slice(0, index), targets.slice(index)]
          .map((part) => caseOf(...part))
          .map(({ datum, forward }) => datumLoss(loss, datum, forward));
        const sums = shards.reduce((sum: LossSums, shard) => addSums(sum, shard.sums), {});
        expect(Object.keys(sums).sort()).toEqual(Object.keys(whole!.sums).sort());
        expectClose(
          Object.keys(sums).map((name) => sums[name]!),
          Object.keys(sums).map((name) => whole!.sums[name]!),
        );
        expectClose([shards.reduce((sum, shard) => sum + shard.value, 0)], [whole!.value]);
        expectClose(
          shards.flatMap((shard) => [...shard.gradLogprobs]),
          whole!.gradLogprobs,
        );
      }
    }),
  );
});

test.each([
  { logprob: NaN },
  { logprob: -Infinity },
  { sampling: NaN },
  { sampling: -Infinity },
  { old: Infinity },
  { advantage: NaN },
  { advantage: Infinity },
  { entropy: NaN },
  { reference: Infinity },
  { weight: NaN },
])("non-finite numbers are counted and have no gradient: %o", (invalid) => {
  const valid = { logprob: -1, sampling: -1.1, old: -1.2, reference: -1, advantage: 1, entropy: 1 };
  for (const loss of losses) {
    if (
      loss.name === "cross_entropy" &&
      !("logprob" in invalid || "entropy" in invalid || "weight" in invalid)
    )
      continue;
    const { datum, forward } = caseOf(valid, { ...valid, ...invalid });
    const { value, gradLogprobs, sums } = datumLoss(
      withTerms(loss, { datum, forward }),
      datum,
      forward,
    );
    expect(sums["nonFinite"]).toBe(1);
    expect(sums["tokens"]).toBe(1);
    expect(Object.values(sums).every(Number.isFinite)).toBe(true);
    expect(value).not.toBeNaN();
    expect(gradLogprobs.every(Number.isFinite)).toBe(true);
  }
});

test("a ratio that overflows single precision is counted as non-finite", () => {
  const { datum, forward } = caseOf({ logprob: 0, sampling: -100, advantage: -1 });
  expect(datumLoss({ name: "importance_sampling" }, datum, forward).sums["nonFinite"]).toBe(1);
  expect(datumLoss({ name: "cispo" }, datum, forward).sums["nonFinite"]).toBe(0);
});

test("data that lack what the loss needs are rejected", () => {
  const { datum, forward } = caseOf({ logprob: -1, sampling: -1, advantage: 1 });
  const { samplingLogprobs: _s, ...withoutLogprobs } = datum;
  const { advantages: _a, ...withoutAdvantages } = datum;
  expect(() => datumLoss({ name: "cispo" }, withoutLogprobs, forward)).toThrow(
    "has no samplingLogprobs",
  );
  expect(() => datumLoss({ name: "clip" }, withoutAdvantages, forward)).toThrow(
    "has no advantages",
  );
  expect(() => datumLoss({ name: "cispo", klCoefficient: 0.1 }, datum, forward)).toThrow(
    "referenceLogprobs",
  );
  expect(() => datumLoss({ name: "cispo", entropyCoefficient: 0.1 }, datum, forward)).toThrow(
    "does not report",
  );
  expect(() =>
    datumLoss({ name: "cross_entropy" }, datum, { logprobs: new Float32Array(2) }),
  ).toThrow("1 targets but 2 logprobs");
});

test("a datum without targets has the loss 0", () => {
  const { datum, forward } = caseOf();
  const sampled = {
    ...datum,
    samplingLogprobs: new Float32Array(),
    advantages: new Float32Array(),
  };
  for (const loss of losses) expect(datumLoss(loss, sampled, forward).value).toBe(0);
});
