import {
  forEachSequence,
  type Kernels,
  padded,
  type RotationTables,
} from "@envs/tiny-model/engine";

import type { Adapter } from "../adapter/adapter.ts";
import type { Architecture, Projection } from "../model/architecture.ts";
import type { LayerWeights } from "../model/frozen-weights.ts";
import { project } from "../model/products.ts";
import type { Buffers } from "./buffers.ts";

/** What the layers of a model share. */
export interface LayerContext {
  readonly kernels: Kernels;
  readonly architecture: Architecture;
  readonly adapter: Adapter;
  readonly rotation: RotationTables;
  readonly at: Buffers;
}

/** The sequences of a pack: their lengths, in tokens. */
export type Lengths = readonly number[];

/**
 * Adds attention and MLP to the residual stream in `at.x`: in each, an RMS norm with gain, projections with the adapter's
 * output, and a residual connection (Llama, Touvron et al. 2023). Leaves what the backward pass needs in the buffers.
 */
export function forwardLayer(
  context: LayerContext,
  layer: number,
  weights: LayerWeights,
  lengths: Lengths,
): void {
  const { kernels, architecture, at } = context;
  const { width, heads, pairs, size, hidden, epsilon } = architecture;
  const rows = tokensOf(lengths);
  const rowQkv = weights.qkv.columns * 4;
  kernels.normalize(rows, width, epsilon, at.x, at.normal, at.inverse);
  kernels.scaleColumns(rows, width, at.normal, weights.gain1, at.gained1);
  project(kernels, { rows, from: at.gained1, by: weights.qkv, to: at.qkv });
  if (weights.bias !== undefined)
    kernels.addToRows(rows, weights.qkv.columns, at.qkv, weights.bias);
  for (const [projection, column] of qkvColumns(architecture))
    adapt(context, layer, projection, {
      x: at.gained1,
      y: at.qkv + column * 4,
      strideY: rowQkv,
      rows,
    });
  rotate(context, rows, at.qkv, 1);
  forEachSequence(lengths, heads, (length, first, weight) =>
    kernels.attention(
      length,
      padded(length),
      heads,
      pairs,
      size,
      at.qkv + first * rowQkv,
      at.p + weight * 4,
      at.mixed + first * heads * size * 4,
      at.scratch,
    ),
  );
  project(kernels, { rows, from: at.mixed, by: weights.out, to: at.x, adds: true });
  adapt(context, layer, "o_proj", { x: at.mixed, y: at.x, strideY: width * 4, rows });
  kernels.normalize(rows, width, epsilon, at.x, at.normal2, at.inverse2);
  kernels.scaleColumns(rows, width, at.normal2, weights.gain2, at.gained2);
  project(kernels, { rows, from: at.gained2, by: weights.gateUp, to: at.gateUp });
  for (const [projection, column] of gateUpColumns(architecture))
    adapt(context, layer, projection, {
      x: at.gained2,
      y: at.gateUp + column * 4,
      strideY: 2 * hidden * 4,
      rows,
    });
  kernels.gate(rows, hidden, at.gateUp, at.h);
  project(kernels, { rows, from: at.h, by: weights.down, to: at.x, adds: true });
  adapt(context, layer, "down_proj", { x: at.h, y: at.x, strideY: width * 4, rows });
}

/** Rows that an adapter changes: its inputs, the outputs that it adds to, and the bytes between those. */
interface AdaptedRows {
  readonly rows: number;
  readonly x: number;
  readonly y: number;
  readonly strideY: number;
}

function adapt(
  { adapter, at }: LayerContext,
  layer: number,
  projection: Projection,
  { rows, ...io }: AdaptedRows,
): void {
  const pair = adapter.pair(layer, projection);
  if (pair !== undefined) adapter.apply(rows, pair, { ...io, t: at.t[projection] });
}

/** Queries and keys are adjacent, so one call rotates both. */
export function rotate(
  { kernels, architecture, rotation, at }: LayerContext,
  rows: number,
  qkv: number,
  sign: 1 | -1,
): void {
  const { heads, pairs, size } = architecture;
  const stride = (heads + 2 * pairs) * size * 4;
  const { cosines, sines } = rotation;
  kernels.rotate(rows, heads + pairs, size / 2, qkv, stride, at.positions, cosines, sines, sign);
}

/** The first column of each projection in the matrix of all three. */
export function qkvColumns({ heads, pairs, size }: Architecture) {
  return [
    ["q_proj", 0],
    ["k_proj", heads * size],
    ["v_proj", (heads + pairs) * size],
  ] as const;
}

export function gateUpColumns({ hidden }: Architecture) {
  return [
    ["gate_proj", 0],
    ["up_proj", hidden],
  ] as const;
}

/** The number of tokens of all sequences. */
export function tokensOf(lengths: Lengths): number {
  return lengths.reduce((total, length) => total + length, 0);
}
