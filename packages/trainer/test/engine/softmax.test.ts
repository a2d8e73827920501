import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { padded } from "../../src/engine/shape.ts";
import { builds, Desk, differences, distance, numbers } from "./desk.ts";
import { dot, rowsOf, slowLogSoftmax, slowSoftmax } from "./slow.ts";

const vocabularies = fc.record({
  rows: fc.integer({ min: 1, max: 5 }),
  vocabulary: fc.integer({ min: 1, max: 29 }),
  temperature: fc.constantFrom(0.25, 1, 1.3),
  seed: fc.nat(1000),
});

/** Row by row, the vocabulary followed by padding that must not matter. */
function logitsOf(rows: readonly number[][], columns: number): number[] {
  return rows.flatMap((row) => [...row, ...Array.from({ length: columns - row.length }, () => 99)]);
}

describe.each(builds)("softmax, %s", (build) => {
  const desk = new Desk(build);

  test("gives log-probability, entropy and log Z at a temperature; padding takes no part", () => {
    fc.assert(
      fc.property(vocabularies, ({ rows, vocabulary, temperature, seed }) => {
        desk.clear();
        const columns = padded(vocabulary);
        const logits = rowsOf(numbers(seed, rows * vocabulary, 9), vocabulary);
        const targets = logits.map((_, row) => (row * 7 + seed) % vocabulary);
        const [sheet, chosen] = [desk.put(logitsOf(logits, columns)), desk.putInts(targets)];
        const [z, logprobs, entropies] = [desk.room(rows), desk.room(rows), desk.room(rows)];
        desk.kernels.logSoftmax(
          rows,
          vocabulary,
          columns,
          sheet.address,
          1 / temperature,
          chosen.address,
          z.address,
          logprobs.address,
          entropies.address,
        );
        const slow = logits.map((row, at) => slowLogSoftmax(row, targets[at]!, temperature));
        expect(
          distance(
            z.read(),
            slow.map((each) => each.logNormalizer),
          ),
        ).toBeLessThan(2e-5);
        expect(
          distance(
            logprobs.read(),
            slow.map((each) => each.logprob),
          ),
        ).toBeLessThan(2e-5);
        expect(
          distance(
            entropies.read(),
            slow.map((each) => each.entropy),
          ),
        ).toBeLessThan(2e-5);
      }),
    );
  });

  test("takes gradients of log-probability and entropy back to the logits", () => {
    fc.assert(
      fc.property(vocabularies, ({ rows, vocabulary, temperature, seed }) => {
        desk.clear();
        const columns = padded(vocabulary);
        const logits = rowsOf(numbers(seed, rows * vocabulary, 3), vocabulary);
        const targets = logits.map((_, row) => (row * 7 + seed) % vocabulary);
        const gradLogprobs = numbers(seed + 1, rows);
        const gradEntropies = numbers(seed + 2, rows);
        const [sheet, chosen] = [desk.put(logitsOf(logits, columns)), desk.putInts(targets)];
        const [z, logprobs, entropies] = [desk.room(rows), desk.room(rows), desk.room(rows)];
        const [forLogprobs, forEntropies] = [desk.put(gradLogprobs), desk.put(gradEntropies)];
        desk.kernels.logSoftmax(
          rows,
          vocabulary,
          columns,
          sheet.address,
          1 / temperature,
          chosen.address,
          z.address,
          logprobs.address,
          entropies.address,
        );
        desk.kernels.logSoftmaxBackward(
          rows,
          columns,
          sheet.address,
          1 / temperature,
          chosen.address,
          z.address,
          entropies.address,
          forLogprobs.address,
          forEntropies.address,
        );
        const value = (row: number) => (at: readonly number[]) => {
          const { logprob, entropy } = slowLogSoftmax(at, targets[row]!, temperature);
          return gradLogprobs[row]! * logprob + gradEntropies[row]! * entropy;
        };
        const slow = logits.map((row, at) => differences(value(at), row));
        expect(
          distance(
            sheet.read(),
            slow.flatMap((row) => [...row, ...Array(columns - vocabulary).fill(0)]),
          ),
        ).toBeLessThan(5e-5);
      }),
    );
  });

  test("gives probabilities at the temperature of each row, and none to padding", () => {
    fc.assert(
      fc.property(vocabularies, ({ rows, vocabulary, seed }) => {
        desk.clear();
        const columns = padded(vocabulary);
        const logits = rowsOf(numbers(seed, rows * vocabulary, 9), vocabulary);
        const inverses = numbers(seed + 1, rows).map((value) => Math.fround(1.2 + value));
        const [sheet, scales] = [desk.put(logitsOf(logits, columns)), desk.put(inverses)];
        desk.kernels.probabilities(rows, vocabulary, columns, sheet.address, scales.address);
        const slow = logits.map((row, at) =>
          slowSoftmax(row.map((value) => value * inverses[at]!)),
        );
        expect(
          distance(
            sheet.read(),
            slow.flatMap((row) => [...row, ...Array(columns - vocabulary).fill(0)]),
          ),
        ).toBeLessThan(5e-6);
        expect(
          dot(
            sheet.read(),
            sheet.read().map(() => 1),
          ),
        ).toBeCloseTo(rows, 4);
      }),
    );
  });

  test("knows powers of e to a few units in the last place", () => {
    const exponents = Array.from({ length: 800 }, (_, at) => Math.fround(-at / 10));
    desk.clear();
    const logits = exponents.flatMap((exponent) => [0, exponent, 0, 0, 0, 0, 0, 0]);
    const [sheet, scales] = [desk.put(logits), desk.put(exponents.map(() => 1))];
    desk.kernels.probabilities(exponents.length, 2, 8, sheet.address, scales.address);
    for (const [row, [one, power]] of rowsOf(sheet.read(), 8).entries())
      expect(Math.abs(power! / one! / Math.exp(exponents[row]!) - 1)).toBeLessThan(4e-7);
  });
});
