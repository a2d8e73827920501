import fc from "fast-check";
import { expect, test } from "vitest";

import { passAtK, passHatK } from "../src/pass.ts";

/** The share of the ways to choose `k` of the attempts for which `holds`. */
function shareOfChoices(
  attempts: readonly boolean[],
  k: number,
  holds: (chosen: readonly boolean[]) => boolean,
): number {
  let ways = 0;
  let good = 0;
  for (let mask = 0; mask < 2 ** attempts.length; mask += 1) {
    const chosen = attempts.filter((_, place) => (mask >> place) & 1);
    if (chosen.length !== k) continue;
    ways += 1;
    if (holds(chosen)) good += 1;
  }
  return good / ways;
}

test("both estimates equal an enumeration of all choices of k attempts", () => {
  for (let n = 1; n <= 9; n += 1)
    for (let correct = 0; correct <= n; correct += 1)
      for (let k = 1; k <= n; k += 1) {
        const attempts = Array.from({ length: n }, (_, place) => place < correct);
        const any = shareOfChoices(attempts, k, (chosen) => chosen.includes(true));
        const all = shareOfChoices(attempts, k, (chosen) => !chosen.includes(false));
        expect(passAtK(n, correct, k)).toBeCloseTo(any, 12);
        expect(passHatK(n, correct, k)).toBeCloseTo(all, 12);
      }
});

test("one attempt passes as often as the share of correct ones", () => {
  expect(passAtK(10, 3, 1)).toBeCloseTo(0.3, 12);
  expect(passHatK(10, 3, 1)).toBeCloseTo(0.3, 12);
});

test("both stay between 0 and 1, and pass^k is never above pass@k, for large groups too", () => {
  const sizes = fc
    .integer({ min: 1, max: 5000 })
    .chain((n) => fc.tuple(fc.constant(n), fc.nat({ max: n }), fc.integer({ min: 1, max: n })));
  fc.assert(
    fc.property(sizes, ([n, correct, k]) => {
      const any = passAtK(n, correct, k);
      const all = passHatK(n, correct, k);
      expect(all).toBeGreaterThanOrEqual(0);
      expect(any).toBeLessThanOrEqual(1);
      expect(all).toBeLessThanOrEqual(any + 1e-12);
    }),
  );
});

test.for([
  [2, 0, 4],
  [3, 4, 1],
  [3, -1, 1],
  [3, 1, 0],
] as const)("%d attempts with %d correct cannot be asked for %d", ([n, correct, k]) => {
  expect(() => passAtK(n, correct, k)).toThrow(RangeError);
  expect(() => passHatK(n, correct, k)).toThrow(RangeError);
});
