import { describe, expect, test } from "vitest";

import { type Pack, Transformer } from "../../src/engine/transformer.ts";
import { dot } from "./reference-math.ts";
import { referenceTransformer } from "./reference-transformer.ts";
import { builds, distance, numbers } from "./scratch-memory.ts";
import { smallEngine, smallShape } from "./small-engine.ts";

const temperature = 1.3;

/** Three sequences, one of them a single token. Not every target is evaluated. */
const pack: Pack = {
  ...packOf([13, 9, 1], [2, 5, 12, 15, 21, 22], [4, 36, 0, 9, 11, 30]),
  temperature,
};
const gradLogprobs = Float32Array.from([1, -0.5, 0.3, 0.7, -1, 0.4]);
const gradEntropies = Float32Array.from([0.2, 0.1, -0.3, 0.5, 0.4, 0.2]);

function packOf(lengths: number[], places: number[], targets: number[]): Pack {
  const count = lengths.reduce((sum, length) => sum + length, 0);
  return {
    lengths,
    ids: Int32Array.from({ length: count }, (_, at) => (at * 7 + 3) % smallShape.vocabulary),
    places: Int32Array.from(places),
    targets: Int32Array.from(targets),
    temperature: 1,
  };
}

function sequencesOf({ lengths, ids, places, targets }: Pack) {
  let start = 0;
  return lengths.map((length) => {
    const first = start;
    start += length;
    const own = [...places.keys()].filter((at) => places[at]! >= first && places[at]! < start);
    return {
      ids: [...ids.subarray(first, start)],
      places: own.map((at) => places[at]! - first),
      targets: own.map((at) => targets[at]!),
    };
  });
}

/** Σ gradient · log-probability + gradient · entropy: the function whose gradient the backward pass computes. */
function objective({
  logprobs,
  entropies,
}: {
  logprobs: Iterable<number>;
  entropies: Iterable<number>;
}): number {
  return dot([...logprobs], [...gradLogprobs]) + dot([...entropies], [...gradEntropies]);
}

function reference(values: Float32Array | readonly number[]): {
  logprobs: number[];
  entropies: number[];
} {
  const outputs = sequencesOf(pack).map((sequence) =>
    referenceTransformer(smallShape, values, { ...sequence, temperature }),
  );
  return {
    logprobs: outputs.flatMap(({ logprobs }) => logprobs),
    entropies: outputs.flatMap(({ entropies }) => entropies),
  };
}

/** Indices of a matrix that are far from each other. */
function someOf(rows: number, columns: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => Math.floor(((at * 0.618) % 1) * rows * columns));
}

function relative(actual: readonly number[], expected: readonly number[]): number {
  const error = actual.map((value, at) => value - expected[at]!);
  return Math.sqrt(dot(error, error) / dot(expected, expected));
}

const plainDifferences = new Map<string, number>();

/** The finite difference of one weight in the plain implementation, which all builds share. */
function plainDifference(values: readonly number[], entry: number): number {
  const key = `${entry} ${values[entry]}`;
  const step = 1e-5;
  const side = (sign: number): number =>
    objective(reference(values.with(entry, values[entry]! + sign * step)));
  const difference = plainDifferences.get(key) ?? (side(1) - side(-1)) / (2 * step);
  plainDifferences.set(key, difference);
  return difference;
}

describe.each(builds)("a transformer, %s", (build) => {
  test("matches a plain implementation in double precision", () => {
    const model = smallEngine(build);
    const output = new Transformer(model, 64).forward(pack);
    const expected = reference(model.weights.values);
    expect(distance([...output.logprobs], expected.logprobs)).toBeLessThan(2e-5);
    expect(distance([...output.entropies], expected.entropies)).toBeLessThan(2e-5);
  });

  test("computes the gradient of every matrix as finite differences of the plain implementation do", () => {
    const model = smallEngine(build);
    const transformer = new Transformer(model, 64);
    transformer.forward(pack);
    transformer.backward(gradLogprobs, gradEntropies);
    const gradient = model.weights.gradientValues.slice();
    const values = Array.from(model.weights.values);
    for (const { name, rows, columns, offset } of model.weights.parameters) {
      const at = someOf(rows, columns, 10).map((entry) => offset + entry);
      const expected = at.map((entry) => plainDifference(values, entry));
      expect(
        relative(
          at.map((entry) => gradient[entry]!),
          expected,
        ),
        name,
      ).toBeLessThan(1e-5);
    }
  });

  test("computes the gradient of every matrix as its own finite differences do", () => {
    const model = smallEngine(build);
    const transformer = new Transformer(model, 64);
    transformer.forward(pack);
    transformer.backward(gradLogprobs, gradEntropies);
    const gradient = model.weights.gradientValues.slice();
    const before = model.weights.values.slice();
    for (const { name, rows, columns, offset } of model.weights.parameters) {
      const count = rows * columns;
      const own = Array.from(gradient.subarray(offset, offset + count));
      const size = Math.sqrt(dot(own, own));
      // The slope is steepest along the gradient, so that single precision loses the least.
      const step = 0.02;
      const side = (sign: number): number => {
        const moved = before.slice();
        for (const [at, value] of own.entries())
          moved[offset + at] = before[offset + at]! + (sign * step * value) / size;
        model.weights.values.set(moved);
        return objective(transformer.forward(pack));
      };
      expect((side(1) - side(-1)) / (2 * step) / size, name).toBeCloseTo(1, 2);
      model.weights.values.set(before);
    }
  });

  test("accumulates gradients", () => {
    const model = smallEngine(build);
    const transformer = new Transformer(model, 64);
    for (let time = 0; time < 2; time += 1) {
      transformer.forward(pack);
      transformer.backward(gradLogprobs, gradEntropies);
    }
    const twice = [...model.weights.gradientValues];
    model.weights.gradientValues.fill(0);
    transformer.forward(pack);
    transformer.backward(gradLogprobs, gradEntropies);
    expect(
      relative(
        twice,
        [...model.weights.gradientValues].map((value) => 2 * value),
      ),
    ).toBeLessThan(1e-6);
  });

  test("computes gradients with the current weights, not with those of the last step", () => {
    const fresh = smallEngine(build);
    const used = smallEngine(build);
    const moved = used.weights.values.map((value, at) => value + numbers(at, 1, 0.01)[0]!);
    const transformers = [fresh, used].map((model) => new Transformer(model, 64));
    transformers[1]!.forward(pack);
    transformers[1]!.backward(gradLogprobs, gradEntropies);
    for (const { weights } of [fresh, used]) {
      weights.values.set(moved);
      weights.invalidateTransposes();
      weights.gradientValues.fill(0);
    }
    for (const transformer of transformers) {
      transformer.forward(pack);
      transformer.backward(gradLogprobs, gradEntropies);
    }
    expect(used.weights.gradientValues).toEqual(fresh.weights.gradientValues);
  });

  test("computes the same bits for a sequence, whatever it is packed with", () => {
    const transformer = new Transformer(smallEngine(build), 64);
    const { logprobs, entropies } = transformer.forward(pack);
    const alone = sequencesOf(pack).map(({ ids, places, targets }) =>
      transformer.forward({
        lengths: [ids.length],
        ids: Int32Array.from(ids),
        places: Int32Array.from(places),
        targets: Int32Array.from(targets),
        temperature,
      }),
    );
    expect([...logprobs]).toEqual(alone.flatMap((output) => [...output.logprobs]));
    expect([...entropies]).toEqual(alone.flatMap((output) => [...output.entropies]));
  });

  test("works at full capacity and full context", () => {
    const model = smallEngine(build);
    const transformer = new Transformer(model, 64);
    const full = packOf([32, 31, 1], [0, 31, 62, 63], [1, 2, 3, 4]);
    const output = transformer.forward(full);
    transformer.backward(Float32Array.of(1, 1, 1, 1), new Float32Array(4));
    const expected = sequencesOf(full).flatMap(
      (sequence) =>
        referenceTransformer(smallShape, model.weights.values, { ...sequence, temperature: 1 })
          .logprobs,
    );
    expect(distance([...output.logprobs], expected)).toBeLessThan(2e-5);
    expect(model.weights.gradientValues.every(Number.isFinite)).toBe(true);
  });

  test("computes no gradient for a pack without targets", () => {
    const model = smallEngine(build);
    const transformer = new Transformer(model, 64);
    expect(transformer.forward(packOf([5], [], [])).logprobs).toHaveLength(0);
    transformer.backward(new Float32Array(), new Float32Array());
    expect(model.weights.gradientValues.every((value) => value === 0)).toBe(true);
  });
});

test("rejects a pack beyond the capacity", () => {
  const transformer = new Transformer(smallEngine("simd"), 16);
  expect(() => transformer.forward(packOf([17], [0], [1]))).toThrow(
    /17 tokens exceeds the capacity of 16/,
  );
});

test("rejects backward() before forward()", () => {
  const transformer = new Transformer(smallEngine("simd"), 16);
  expect(() => transformer.backward(new Float32Array(), new Float32Array())).toThrow(
    "Call forward() before backward().",
  );
});
