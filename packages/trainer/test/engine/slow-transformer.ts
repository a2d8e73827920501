import { parametersOf, type Shape } from "../../src/engine/shape.ts";
import { rowsOf, slowAttention, slowLogSoftmax, slowNormalize, slowRotate } from "./slow.ts";

type Matrix = readonly (readonly number[])[];

/** What a transformer of this shape says of each target, as plainly as it can be written. */
export function slowTransformer(
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
  const of = (name: string): Matrix => matrices.get(name)!;
  let x = ids.map((id) => slowNormalize(of("embedding")[id]!));
  for (let layer = 0; layer < layers; layer += 1) {
    const qkv = x.map((row, position) => {
      const all = times(slowNormalize(row), of(`layers.${layer}.qkv`));
      const [q, k, v] = rowsOf(all, width);
      return [...slowRotate(q!, heads, position), ...slowRotate(k!, heads, position), ...v!];
    });
    const mixed = slowAttention(qkv, heads).out;
    x = x.map((row, at) => plus(row, times(mixed[at]!, of(`layers.${layer}.out`))));
    x = x.map((row) => {
      const up = times(slowNormalize(row), of(`layers.${layer}.up`));
      const active = up.map((value) => Math.max(value, 0) ** 2);
      return plus(row, times(active, of(`layers.${layer}.down`)));
    });
  }
  const said = places.map((place, at) => {
    const logits = times(slowNormalize(x[place]!), of("head")).slice(0, vocabulary);
    return slowLogSoftmax(logits, targets[at]!, temperature);
  });
  return {
    logprobs: said.map(({ logprob }) => logprob),
    entropies: said.map(({ entropy }) => entropy),
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
