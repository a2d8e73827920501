import type { Shape } from "@envs/tiny-model";
import type { Datum } from "@envs/trainer";
import {
  type Array as Tensor,
  blockUntilReady,
  jit,
  nn,
  numpy as np,
  valueAndGrad,
} from "@jax-js/jax";

import {
  again,
  type Angles,
  anglesAt,
  logitsOf,
  normalized,
  type Parameters,
  parametersFrom,
  rotated,
  withMlp,
} from "./jax-model.ts";

/** Sequences padded to one length. Only `places` of them, laid end to end, get logits; left out: all. */
type Batch = { ids: Tensor; places?: Tensor; targets: Tensor; weights: Tensor };

/** Σ weight · −log p(target), written as one would for jax-js. */
function lossOf({ vocabulary, width, heads, layers }: Shape) {
  return (parameters: Parameters, { ids, places, targets, weights }: Batch, angles: Angles) => {
    const of = (name: string): Tensor => parameters[name]!;
    const [rows, length] = ids.shape as [number, number];
    const count = rows * length;
    const size = width / heads;
    let x = normalized(np.take(of("embedding"), ids.reshape([count]), 0));
    for (let layer = 0; layer < layers; layer += 1) {
      const qkv = np.matmul(normalized(x.ref), of(`layers.${layer}.qkv`));
      const [q, k, v] = np
        .split(qkv.reshape([rows, length, 3, heads, size]), 3, 2)
        .map((part) => part.reshape([rows, length, heads, size]));
      const mixed = nn.dotProductAttention(
        rotated(q!, again(angles)),
        rotated(k!, again(angles)),
        v!,
        { isCausal: true },
      );
      x = x.add(np.matmul(mixed.reshape([count, width]), of(`layers.${layer}.out`)));
      x = withMlp(x, of(`layers.${layer}.up`), of(`layers.${layer}.down`));
    }
    for (const table of Object.values(angles)) table.dispose();
    if (places !== undefined) x = np.take(x, places, 0);
    const logprobs = nn.logSoftmax(logitsOf(x, of("head"), vocabulary), -1);
    const chosen = logprobs.mul(nn.oneHot(targets, vocabulary)).sum(-1);
    return chosen.mul(weights).sum().mul(-1);
  };
}

/** One step of training without the optimiser. */
export interface JaxTraining {
  /** Computes loss and gradients, and forgets them. */
  step(): Promise<void>;
  /** The loss, and the norm of all gradients. */
  measure(): Promise<{ loss: number; gradientNorm: number }>;
}

/** The model in jax-js, compiled for one batch. */
export function jaxTraining(
  shape: Shape,
  weights: Float32Array,
  data: readonly Datum[],
): JaxTraining {
  const compiled = jit(valueAndGrad(lossOf(shape)));
  const parameters = parametersFrom(shape, weights);
  const length = roundedUp(Math.max(...data.map(({ inputs }) => inputs.length)));
  const batch = batchOf(data, length);
  const angles = anglesAt(shape, 0, length);
  const run = async (): Promise<[Tensor, Parameters]> => {
    const result = compiled(again(parameters), again(batch), again(angles));
    await blockUntilReady(result);
    return result;
  };
  return {
    async step() {
      const [loss, gradients] = await run();
      for (const array of [loss, ...Object.values(gradients)]) array.dispose();
    },
    async measure() {
      const [loss, gradients] = await run();
      let squares = 0;
      for (const array of Object.values(gradients))
        for (const value of await array.data()) squares += value * value;
      return { loss: loss.item(), gradientNorm: Math.sqrt(squares) };
    },
  };
}

function batchOf(data: readonly Datum[], length: number): Batch {
  const ids = new Int32Array(data.length * length);
  const places: number[] = [];
  const targets: number[] = [];
  const weights: number[] = [];
  for (const [row, datum] of data.entries()) {
    ids.set(datum.inputs, row * length);
    for (const [place, weight] of datum.weights.entries()) {
      if (weight === 0) continue;
      places.push(row * length + place);
      targets.push(datum.targets[place]!);
      weights.push(weight);
    }
  }
  const isSparse = places.length < ids.length;
  if (isSparse)
    for (const list of [places, targets, weights]) while (list.length % 8 !== 0) list.push(0);
  const whole = (values: ArrayLike<number>): Tensor =>
    np.array(Int32Array.from(values), { dtype: np.int32 });
  return {
    ids: whole(ids).reshape([data.length, length]),
    ...(isSparse && { places: whole(places) }),
    targets: whole(targets),
    weights: np.array(Float32Array.from(weights)),
  };
}

/** jax-js is three times slower with odd sizes. */
function roundedUp(length: number): number {
  return Math.ceil(length / 8) * 8;
}
