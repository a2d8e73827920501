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
  cloneReferences,
  type Angles,
  rotaryAngles,
  computeLogits,
  rmsNorm,
  type Parameters,
  parametersFrom,
  rotate,
  addMlp,
} from "./jax-model.ts";

/** Sequences padded to one length. Logits are computed for the positions `trained` of the flattened ids; for all without it. */
type Batch = { ids: Tensor; trained?: Tensor; targets: Tensor; weights: Tensor };

/** Σ weight · −log p(target), in idiomatic jax-js. */
function createLoss({ vocabulary, width, heads, layers }: Shape) {
  return (parameters: Parameters, { ids, trained, targets, weights }: Batch, angles: Angles) => {
    const weight = (name: string): Tensor => parameters[name]!;
    const [rows, length] = ids.shape as [number, number];
    const count = rows * length;
    const size = width / heads;
    let x = rmsNorm(np.take(weight("embedding"), ids.reshape([count]), 0));
    for (let layer = 0; layer < layers; layer += 1) {
      const qkv = np.matmul(rmsNorm(x.ref), weight(`layers.${layer}.qkv`));
      const [q, k, v] = np
        .split(qkv.reshape([rows, length, 3, heads, size]), 3, 2)
        .map((part) => part.reshape([rows, length, heads, size]));
      const mixed = nn.dotProductAttention(
        rotate(q!, cloneReferences(angles)),
        rotate(k!, cloneReferences(angles)),
        v!,
        { isCausal: true },
      );
      x = x.add(np.matmul(mixed.reshape([count, width]), weight(`layers.${layer}.out`)));
      x = addMlp(x, weight(`layers.${layer}.up`), weight(`layers.${layer}.down`));
    }
    for (const table of Object.values(angles)) table.dispose();
    if (trained !== undefined) x = np.take(x, trained, 0);
    const logprobs = nn.logSoftmax(computeLogits(x, weight("head"), vocabulary), -1);
    const chosen = logprobs.mul(nn.oneHot(targets, vocabulary)).sum(-1);
    return chosen.mul(weights).sum().mul(-1);
  };
}

/** A training step without the optimiser. */
export interface JaxTraining {
  /** Computes loss and gradients, and discards them. */
  step(): Promise<void>;
  /** Computes the loss and the norm of all gradients. */
  measure(): Promise<{ loss: number; gradientNorm: number }>;
}

/** Compiles the model in jax-js for one batch. */
export function createJaxTraining(
  shape: Shape,
  weights: Float32Array,
  data: readonly Datum[],
): JaxTraining {
  const compiled = jit(valueAndGrad(createLoss(shape)));
  const parameters = parametersFrom(shape, weights);
  const length = roundUp(Math.max(...data.map(({ inputs }) => inputs.length)));
  const batch = createBatch(data, length);
  const angles = rotaryAngles(shape, 0, length);
  const run = async (): Promise<[Tensor, Parameters]> => {
    const result = compiled(
      cloneReferences(parameters),
      cloneReferences(batch),
      cloneReferences(angles),
    );
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

function createBatch(data: readonly Datum[], length: number): Batch {
  const ids = new Int32Array(data.length * length);
  const trained: number[] = [];
  const targets: number[] = [];
  const weights: number[] = [];
  for (const [row, datum] of data.entries()) {
    ids.set(datum.inputs, row * length);
    for (const [column, weight] of datum.weights.entries()) {
      if (weight === 0) continue;
      trained.push(row * length + column);
      targets.push(datum.targets[column]!);
      weights.push(weight);
    }
  }
  const isSparse = trained.length < ids.length;
  if (isSparse)
    for (const list of [trained, targets, weights]) while (list.length % 8 !== 0) list.push(0);
  const whole = (values: ArrayLike<number>): Tensor =>
    np.array(Int32Array.from(values), { dtype: np.int32 });
  return {
    ids: whole(ids).reshape([data.length, length]),
    ...(isSparse && { trained: whole(trained) }),
    targets: whole(targets),
    weights: np.array(Float32Array.from(weights)),
  };
}

/** Rounds up to a multiple of 8: jax-js is three times slower with odd sizes. */
function roundUp(length: number): number {
  return Math.ceil(length / 8) * 8;
}
