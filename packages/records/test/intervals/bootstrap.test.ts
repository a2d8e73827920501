import { random } from "@envs/core";
import { bootstrapMean } from "@envs/records";
import { expect, test } from "vitest";

test("has no interval for fewer than two groups with values", () => {
  expect(bootstrapMean([])).toBeUndefined();
  expect(bootstrapMean([[1, 0, 1], []])).toBeUndefined();
});

test("returns the same interval for the same groups and seed", () => {
  const groups = Array.from({ length: 40 }, (_, index) => [Math.sin(index), index % 2]);
  expect(bootstrapMean(groups, 7)).toEqual(bootstrapMean(groups, 7));
  expect(bootstrapMean(groups, 7)).not.toEqual(bootstrapMean(groups, 8));
});

test("contains the true mean in about 95 of 100 samples", () => {
  const { next } = random("bootstrap-coverage");
  let covered = 0;
  for (let sample = 0; sample < 200; sample += 1) {
    const groups = Array.from({ length: 60 }, () => {
      const chance = next();
      return [Number(next() < chance), Number(next() < chance)];
    });
    const { low, high } = bootstrapMean(groups, sample)!;
    if (low <= 0.5 && high >= 0.5) covered += 1;
  }
  expect(covered / 200).toBeGreaterThan(0.9);
  expect(covered / 200).toBeLessThan(0.99);
});

test("is wider for rollouts that repeat their example than for as many examples", () => {
  const rewards = Array.from({ length: 30 }, (_, index) => index % 2);
  const repeated = bootstrapMean(rewards.map((reward) => [reward, reward, reward, reward]))!;
  const separate = bootstrapMean(
    rewards.flatMap((reward) => [[reward], [reward], [reward], [reward]]),
  )!;
  expect(repeated.mean).toBe(separate.mean);
  expect(repeated.high - repeated.low).toBeGreaterThan(1.5 * (separate.high - separate.low));
});

test("weighs each value equally in groups of different sizes", () => {
  expect(bootstrapMean([[1, 1, 1], [0]])?.mean).toBe(0.75);
});
