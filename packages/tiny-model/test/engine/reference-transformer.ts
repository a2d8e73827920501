import { parametersOf, type Shape } from "../../src/engine/shape.ts";
import {
  rowsOf,
  referenceAttention,
  referenceLogSoftmax,
  referenceNormalize,
  referenceRotate,
} from "./reference-math.ts";

type Matrix = readonly (readonly number[])[];

/** Log-probability and entropy of each target, in double precision. */
export function referenceTransformer(
  shape: Shape,
  parameters: readonly number[] | Float32Array,
  {
    ids,
    places,
    targets,
    temperature,
  }: {
    ids: readonly number[];
    places: readonly number[];
    targets: readonly number[];
    temperature: number;
  },
): { logprobs: number[]; entropies: number[] } {
  const { heads, width, layers, vocabulary } = shape;
  const matrices = new Map(
    parametersOf(shape).map(({ name, rows, columns, offset }): [string, Matrix] => [
      name,
      rowsOf(Array.from(parameters.slice(offset, offset + rows * columns)), columns),
    ]),
  );
  const matrix = (name: string): Matrix => matrices.get(name)!;
  let x = ids.map((id) => referenceNormalize(matrix("embedding")[id]!));
  for (let layer = 0; layer < layers; layer += 1) {
    const qkv = x.map((row, position) => {
      const all = times(referenceNormalize(row), matrix(`layers.${layer}.qkv`));
      const [q, k, v] = rowsOf(all, width);
      return [
        ...referenceRotate(q!, heads, position),
        ...referenceRotate(k!, heads, position),
        ...v!,
      ];
    });
    const mixed = referenceAttention(qkv, heads).out;
    x = x.map((row, at) => plus(row, times(mixed[at]!, matrix(`layers.${layer}.out`))));
    x = x.map((row) => {
      const up = times(referenceNormalize(row), matrix(`layers.${layer}.up`));
      const active = up.map((value) => Math.max(value, 0) ** 2);
      return plus(row, times(active, matrix(`layers.${layer}.down`)));
    });
  }
  const outputs = places.map((place, at) => {
    const logits = times(referenceNormalize(x[place]!), matrix("head")).slice(0, vocabulary);
    return referenceLogSoftmax(logits, targets[at]!, temperature);
  });
  return {
    logprobs: outputs.map(({ logprob }) => logprob),
    entropies: outputs.map(({ entropy }) => entropy),
  };
}

function times(row: readonly number[], matrix: Matrix): number[] {
  const sums = Array.from({ length: matrix[0]!.length }, () => 0);
  for (const [at, value] of row.entries())
    for (const [column, weight] of matrix[at]!.entries()) sums[column]! += value * weight;
  return sums;
}

function plus(left: readonly number[], right: readonly number[]): number[] {
  return left.map((value, at) => value + right[at]!);
}
