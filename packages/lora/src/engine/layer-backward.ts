import { forEachSequence, padded } from "@envs/tiny-model/engine";

import type { Projection } from "../model/architecture.ts";
import { type LayerWeights, panelsOf } from "../model/frozen-weights.ts";
import { dense, multiply, type Projected } from "../model/products.ts";
import {
  gateUpColumns,
  type LayerContext,
  type Lengths,
  qkvColumns,
  rotate,
  tokensOf,
} from "./layer.ts";

/**
 * Given the gradient of the layer's output in `at.dx`, replaces it with the gradient of its input, and adds to the adapter's
 * gradients. The buffers must have the results of {@link forwardLayer} for this layer.
 */
export function backwardLayer(
  context: LayerContext,
  layer: number,
  weights: LayerWeights,
  lengths: Lengths,
): void {
  const { kernels, architecture, at } = context;
  const { width, heads, pairs, size, hidden } = architecture;
  const rows = tokensOf(lengths);
  const rowQkv = weights.qkv.columns * 4;
  projectBack(context, { rows, from: at.dx, by: weights.down, to: at.dh });
  adaptBackward(context, layer, "down_proj", {
    x: at.h,
    y: at.dx,
    strideY: width * 4,
    dx: at.dh,
    rows,
  });
  kernels.gateBackward(rows, hidden, at.gateUp, at.dh);
  projectBack(context, { rows, from: at.gateUp, by: weights.gateUp, to: at.dy });
  for (const [projection, column] of gateUpColumns(architecture))
    adaptBackward(context, layer, projection, {
      x: at.gained2,
      y: at.gateUp + column * 4,
      strideY: 2 * hidden * 4,
      dx: at.dy,
      rows,
    });
  kernels.scaleColumns(rows, width, at.dy, weights.gain2, at.dy);
  kernels.normalizeBackward(rows, width, at.dy, at.normal2, at.inverse2, at.dx);
  projectBack(context, { rows, from: at.dx, by: weights.out, to: at.dy });
  adaptBackward(context, layer, "o_proj", {
    x: at.mixed,
    y: at.dx,
    strideY: width * 4,
    dx: at.dy,
    rows,
  });
  forEachSequence(lengths, heads, (length, first, weight) =>
    kernels.attentionBackward(
      length,
      padded(length),
      heads,
      pairs,
      size,
      at.qkv + first * rowQkv,
      at.p + weight * 4,
      at.dy + first * heads * size * 4,
      at.dqkv + first * rowQkv,
      at.dp,
      at.scratch,
    ),
  );
  rotate(context, rows, at.dqkv, -1);
  projectBack(context, { rows, from: at.dqkv, by: weights.qkv, to: at.dy });
  for (const [projection, column] of qkvColumns(architecture))
    adaptBackward(context, layer, projection, {
      x: at.gained1,
      y: at.dqkv + column * 4,
      strideY: rowQkv,
      dx: at.dy,
      rows,
    });
  kernels.scaleColumns(rows, width, at.dy, weights.gain1, at.dy);
  kernels.normalizeBackward(rows, width, at.dy, at.normal, at.inverse, at.dx);
}

/** `to` = `from` · `by`ᵀ, the gradient of a projection's inputs. */
function projectBack({ kernels, at }: LayerContext, { rows, from, by, to }: Projected): void {
  const { rows: inputs, columns: outputs } = by;
  for (const { column, width, at: panel } of panelsOf(by))
    kernels.transpose(
      inputs,
      width,
      panel,
      width * 4,
      at.transposed + column * inputs * 4,
      inputs * 4,
    );
  multiply(kernels, {
    rows,
    columns: inputs,
    inner: outputs,
    left: dense(from, outputs),
    right: dense(at.transposed, inputs),
    to: dense(to, inputs),
  });
}

/** The rows of a projection: its inputs, the gradients of its outputs, the bytes between those, and the gradients of the inputs. */
interface AdaptedRows {
  readonly rows: number;
  readonly x: number;
  readonly y: number;
  readonly strideY: number;
  readonly dx: number;
}

function adaptBackward(
  { adapter, at }: LayerContext,
  layer: number,
  projection: Projection,
  { rows, ...io }: AdaptedRows,
): void {
  const pair = adapter.pair(layer, projection);
  if (pair !== undefined) adapter.applyBackward(rows, pair, { ...io, t: at.t[projection] });
}
