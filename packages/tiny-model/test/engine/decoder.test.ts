import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { DecodeStep } from "../../src/engine/decode-steps.ts";
import { Decoder } from "../../src/engine/decoder.ts";
import { Transformer } from "../../src/engine/transformer.ts";
import { builds, distance } from "./scratch-memory.ts";
import { smallEngine, smallShape } from "./small-engine.ts";

const { vocabulary, context } = smallShape;

function tokensOf(seed: number, length: number): number[] {
  return Array.from({ length }, (_, at) => (at * 11 + seed * 5 + at * at) % vocabulary);
}

function steps(ids: readonly number[], slot: number, from = 0, temperature = 1): DecodeStep[] {
  return ids.slice(from).map((id, at) => ({
    id,
    slot,
    position: from + at,
    isLast: from + at === ids.length - 1,
    temperature,
  }));
}

/** The distribution after each of several sequences, read in one call. */
function read(decoder: Decoder, all: readonly DecodeStep[]): number[][] {
  const { rows, columns } = decoder.read(all);
  return Array.from({ length: rows.length / columns }, (_, at) => [
    ...rows.subarray(at * columns, at * columns + vocabulary),
  ]);
}

describe.each(builds)("a decoder, %s", (build) => {
  const model = smallEngine(build);
  const decoder = new Decoder(model, { slots: 4, capacity: 64 });
  const transformer = new Transformer(model, 64);

  test("computes the probabilities that the training pass computes", () => {
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.integer({ min: 2, max: context }),
        fc.constantFrom(0.5, 1, 1.7),
        (seed, length, temperature) => {
          const ids = tokensOf(seed, length);
          const places = Int32Array.from({ length: length - 1 }, (_, at) => at);
          const { logprobs } = transformer.forward({
            lengths: [length],
            ids: Int32Array.from(ids),
            places,
            targets: Int32Array.from(ids.slice(1)),
            temperature,
          });
          const decoded = ids.slice(0, -1).map((id, position) => {
            const step = { id, slot: 1, position, isLast: true, temperature };
            return Math.log(read(decoder, [step])[0]![ids[position + 1]!]!);
          });
          expect(distance(decoded, [...logprobs])).toBeLessThan(1e-5);
        },
      ),
      { numRuns: 15 },
    );
  });

  test("computes the same bits for a sequence at once, in parts, beside others and in any slot", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: context }),
        fc.integer({ min: 1, max: context }),
        fc.nat(3),
        (length, early, slot) => {
          const ids = tokensOf(3, length);
          const whole = read(decoder, steps(ids, 0));
          const cut = Math.min(early, length - 1);
          decoder.read(steps(ids.slice(0, cut), slot));
          const other = tokensOf(8, 15);
          const among = read(decoder, [
            ...steps(other, (slot + 1) % 4),
            ...steps(ids, slot, cut),
            ...steps(other, (slot + 2) % 4),
          ]);
          expect(among[1]).toEqual(whole[0]);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("reads tokens without computing their distribution", () => {
    const ids = tokensOf(1, 9);
    const silent = steps(ids.slice(0, 5), 2).map((step) => ({ ...step, isLast: false }));
    expect(decoder.read(silent).rows).toHaveLength(0);
    expect(read(decoder, steps(ids, 2, 5))).toEqual(read(decoder, steps(ids, 3)));
  });

  test("applies a temperature per sequence", () => {
    const [first, second] = [tokensOf(1, 5), tokensOf(2, 12)];
    const both = read(decoder, [...steps(first, 0, 0, 0.7), ...steps(second, 1, 0, 2)]);
    expect(both).toEqual([
      ...read(decoder, steps(first, 0, 0, 0.7)),
      ...read(decoder, steps(second, 1, 0, 2)),
    ]);
    for (const row of both) expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5);
  });

  test.each([1e-4, 1e-30, 1e-45])(
    "assigns all probability to the most probable token at a temperature of %s",
    (temperature) => {
      const [row] = read(decoder, steps(tokensOf(1, 5), 0, 0, temperature));
      const [plain] = read(decoder, steps(tokensOf(1, 5), 0));
      const best = plain!.indexOf(Math.max(...plain!));
      expect(row![best]).toBeCloseTo(1, 5);
    },
  );
});

test("rejects more tokens than its capacity", () => {
  const decoder = new Decoder(smallEngine("simd"), { slots: 1, capacity: 8 });
  expect(() => decoder.read(steps(tokensOf(1, 9), 0))).toThrow(/9 tokens exceed the capacity of 8/);
});
