import { perfectCount, wilsonInterval } from "@envs/records";
import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("wilsonInterval", () => {
  test("equals that of Wilson's paper, and is wide for few perfect values", () => {
    expect(wilsonInterval(0.9, 10).low).toBeCloseTo(0.5958, 4);
    expect(wilsonInterval(0.9, 10).high).toBeCloseTo(0.9821, 4);
    expect(wilsonInterval(1, 5).low).toBeCloseTo(0.5655, 4);
    expect(wilsonInterval(1, 5).high).toBe(1);
  });

  test("contains the mean, and has a lower bound that rises with the mean", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.integer({ min: 1, max: 1000 }), (a, b, count) => {
        const [worse, better] = a < b ? [a, b] : [b, a];
        const interval = wilsonInterval(worse, count);
        expect(interval.low).toBeLessThanOrEqual(worse + 1e-12);
        expect(interval.high).toBeGreaterThanOrEqual(worse - 1e-12);
        expect(wilsonInterval(better, count).low).toBeGreaterThanOrEqual(interval.low - 1e-12);
      }),
      { numRuns: cases(500) },
    );
  });

  test("reaches a bound with as many perfect values as perfectCount() returns", () => {
    for (const low of [0.1, 0.5, 0.8, 0.9, 0.95]) {
      expect(wilsonInterval(1, perfectCount(low)).low).toBeGreaterThanOrEqual(low);
      expect(wilsonInterval(1, perfectCount(low) - 1).low).toBeLessThan(low);
    }
  });

  test("ends where the observed share is 1.96 standard errors away", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, part) => {
          const hits = Math.round(part * count);
          const { low, high } = wilsonInterval(hits / count, count);
          for (const end of [low, high]) {
            const error = Math.sqrt((end * (1 - end)) / count);
            if (error > 0) expect(Math.abs(hits / count - end) / error).toBeCloseTo(1.96, 3);
            expect(end === 0 ? hits : end === 1 ? count - hits : 0).toBe(0);
          }
        },
      ),
    );
  });

  test("returns published values: 0 of 10 and 81 of 263 (Newcombe 1998)", () => {
    expect(wilsonInterval(0, 10).high).toBeCloseTo(0.2775, 4);
    const { low, high } = wilsonInterval(81 / 263, 263);
    expect(low).toBeCloseTo(0.2553, 4);
    expect(high).toBeCloseTo(0.3662, 4);
  });

  test("is 0 to 1 without observations", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});
