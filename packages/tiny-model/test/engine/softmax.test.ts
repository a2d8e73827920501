import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { padded } from "../../src/engine/shape.ts";
import { dot, rowsOf, referenceLogSoftmax, referenceSoftmax } from "./reference-math.ts";
import { builds, ScratchMemory, differences, distance, numbers } from "./scratch-memory.ts";

const vocabularies = fc.record({
  rows: fc.integer({ min: 1, max: 5 }),
  vocabulary: fc.integer({ min: 1, max: 29 }),
  temperature: fc.constantFrom(0.25, 1, 1.3),
  seed: fc.nat(1000),
});

/** Rows of logits, padded with numbers that must not matter. */
function logitsOf(rows: readonly number[][], columns: number): number[] {
  return rows.flatMap((row) => [...row, ...Array.from({ length: columns - row.length }, () => 99)]);
}

describe.each(builds)("softmax, %s", (build) => {
  const memory = new ScratchMemory(build);

  test("computes log-probability, entropy and log Z at a temperature, and ignores padding", () => {
    fc.assert(
      fc.property(vocabularies, ({ rows, vocabulary, temperature, seed }) => {
        memory.clear();
        const columns = padded(vocabulary);
        const logits = rowsOf(numbers(seed, rows * vocabulary, 9), vocabulary);
        const targets = logits.map((_, row) => (row * 7 + seed) % vocabulary);
        const [block, chosen] = [memory.put(logitsOf(logits, columns)), memory.putInts(targets)];
        const [z, logprobs, entropies] = [
          memory.allocate(rows),
          memory.allocate(rows),
          memory.allocate(rows),
        ];
        memory.kernels.logSoftmax(
          rows,
          vocabulary,
          columns,
          block.address,
          1 / temperature,
          chosen.address,
          z.address,
          logprobs.address,
          entropies.address,
        );
        const reference = logits.map((row, at) =>
          referenceLogSoftmax(row, targets[at]!, temperature),
        );
        expect(
          distance(
            z.read(),
            reference.map((row) => row.logNormalizer),
          ),
        ).toBeLessThan(2e-5);
        expect(
          distance(
            logprobs.read(),
            reference.map((row) => row.logprob),
          ),
        ).toBeLessThan(2e-5);
        expect(
          distance(
            entropies.read(),
            reference.map((row) => row.entropy),
          ),
        ).toBeLessThan(2e-5);
      }),
    );
  });

  test("computes the gradients of the logits", () => {
    fc.assert(
      fc.property(vocabularies, ({ rows, vocabulary, temperature, seed }) => {
        memory.clear();
        const columns = padded(vocabulary);
        const logits = rowsOf(numbers(seed, rows * vocabulary, 3), vocabulary);
        const targets = logits.map((_, row) => (row * 7 + seed) % vocabulary);
        const gradLogprobs = numbers(seed + 1, rows);
        const gradEntropies = numbers(seed + 2, rows);
        const [block, chosen] = [memory.put(logitsOf(logits, columns)), memory.putInts(targets)];
        const [z, logprobs, entropies] = [
          memory.allocate(rows),
          memory.allocate(rows),
          memory.allocate(rows),
        ];
        const [forLogprobs, forEntropies] = [memory.put(gradLogprobs), memory.put(gradEntropies)];
        memory.kernels.logSoftmax(
          rows,
          vocabulary,
          columns,
          block.address,
          1 / temperature,
          chosen.address,
          z.address,
          logprobs.address,
          entropies.address,
        );
        memory.kernels.logSoftmaxBackward(
          rows,
          columns,
          block.address,
          1 / temperature,
          chosen.address,
          z.address,
          entropies.address,
          forLogprobs.address,
          forEntropies.address,
        );
        const value = (row: number) => (at: readonly number[]) => {
          const { logprob, entropy } = referenceLogSoftmax(at, targets[row]!, temperature);
          return gradLogprobs[row]! * logprob + gradEntropies[row]! * entropy;
        };
        const reference = logits.map((row, at) => differences(value(at), row));
        expect(
          distance(
            block.read(),
            reference.flatMap((row) => [...row, ...Array(columns - vocabulary).fill(0)]),
          ),
        ).toBeLessThan(5e-5);
      }),
    );
  });

  test("computes probabilities at the temperature of each row, and 0 for padding", () => {
    fc.assert(
      fc.property(vocabularies, ({ rows, vocabulary, seed }) => {
        memory.clear();
        const columns = padded(vocabulary);
        const logits = rowsOf(numbers(seed, rows * vocabulary, 9), vocabulary);
        const inverses = numbers(seed + 1, rows).map((value) => Math.fround(1.2 + value));
        const [block, scales] = [memory.put(logitsOf(logits, columns)), memory.put(inverses)];
        memory.kernels.probabilities(rows, vocabulary, columns, block.address, scales.address);
        const reference = logits.map((row, at) =>
          referenceSoftmax(row.map((value) => value * inverses[at]!)),
        );
        expect(
          distance(
            block.read(),
            reference.flatMap((row) => [...row, ...Array(columns - vocabulary).fill(0)]),
          ),
        ).toBeLessThan(5e-6);
        expect(
          dot(
            block.read(),
            block.read().map(() => 1),
          ),
        ).toBeCloseTo(rows, 4);
      }),
    );
  });

  test("computes powers of e to a few units in the last place", () => {
    const exponents = Array.from({ length: 800 }, (_, at) => Math.fround(-at / 10));
    memory.clear();
    const logits = exponents.flatMap((exponent) => [0, exponent, 0, 0, 0, 0, 0, 0]);
    const [block, scales] = [memory.put(logits), memory.put(exponents.map(() => 1))];
    memory.kernels.probabilities(exponents.length, 2, 8, block.address, scales.address);
    for (const [row, [one, power]] of rowsOf(block.read(), 8).entries())
      expect(Math.abs(power! / one! / Math.exp(exponents[row]!) - 1)).toBeLessThan(4e-7);
  });
});
