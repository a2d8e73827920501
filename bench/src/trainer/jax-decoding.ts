import type { Checkpoint, Shape } from "@envs/tiny-model";
import { type Array as Tensor, jit, nn, numpy as np } from "@jax-js/jax";

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

/** Keys and values of each layer: [conversations, heads, capacity, size]. */
type Cache = { keys: Tensor[]; values: Tensor[] };

/**
 * Decodes one token of each conversation with a cache of a fixed shape. jax-js 0.1 cannot update an array in place, so a
 * step writes the whole cache, and attention covers all of its capacity, masked.
 */
function createStep({ vocabulary, width, heads, layers }: Shape, capacity: number) {
  const size = width / heads;
  return (
    parameters: Parameters,
    { keys, values }: Cache,
    { ids, position, angles }: { ids: Tensor; position: Tensor; angles: Angles },
  ): [Tensor, Cache] => {
    const weight = (name: string): Tensor => parameters[name]!;
    const count = ids.shape[0]!;
    const isCurrent = np.equal(np.arange(capacity).reshape([1, 1, capacity, 1]), position.ref);
    const isSeen = np.lessEqual(np.arange(capacity).reshape([1, 1, capacity]), position);
    const next: Cache = { keys: [], values: [] };
    let x = rmsNorm(np.take(weight("embedding"), ids, 0));
    for (let layer = 0; layer < layers; layer += 1) {
      const qkv = np.matmul(rmsNorm(x.ref), weight(`layers.${layer}.qkv`));
      const [q, k, v] = np
        .split(qkv.reshape([count, 3, heads, size]), 3, 1)
        .map((part) => part.reshape([count, 1, heads, size]));
      const column = (part: Tensor): Tensor => part.reshape([count, heads, 1, size]);
      const key = column(rotate(k!, cloneReferences(angles)));
      const allKeys = np.where(isCurrent.ref, key, keys[layer]!);
      const allValues = np.where(isCurrent.ref, column(v!), values[layer]!);
      const query = rotate(q!, cloneReferences(angles)).reshape([count, heads, size, 1]);
      const scores = np.matmul(allKeys.ref, query).reshape([count, heads, capacity]);
      const scaled = np.where(isSeen.ref, scores.mul(1 / Math.sqrt(size)), -1e30);
      const shares = nn.softmax(scaled, -1).reshape([count, heads, 1, capacity]);
      const mixed = np.matmul(shares, allValues.ref).reshape([count, width]);
      next.keys.push(allKeys);
      next.values.push(allValues);
      x = x.add(np.matmul(mixed, weight(`layers.${layer}.out`)));
      x = addMlp(x, weight(`layers.${layer}.up`), weight(`layers.${layer}.down`));
    }
    for (const array of [isCurrent, isSeen, ...Object.values(angles)]) array.dispose();
    return [nn.softmax(computeLogits(x, weight("head"), vocabulary), -1), next];
  };
}

/** Compiles the model in jax-js for `slots` conversations of up to `capacity` tokens. */
export function createJaxDecoder(
  { shape, state }: Checkpoint,
  { slots, capacity }: { readonly slots: number; readonly capacity: number },
): (ids: Int32Array, position: number) => Promise<Float32Array> {
  const compiled = jit(createStep(shape, capacity));
  const parameters = parametersFrom(shape, state.weights);
  const { width, heads, layers } = shape;
  const empty = (): Tensor[] =>
    Array.from({ length: layers }, () => np.zeros([slots, heads, capacity, width / heads]));
  let cache: Cache = { keys: empty(), values: empty() };
  const angles = Array.from({ length: capacity }, (_, position) =>
    rotaryAngles(shape, position, 1),
  );
  return async (ids, position) => {
    const token = {
      ids: np.array(Int32Array.from(ids), { dtype: np.int32 }),
      position: np.array(Int32Array.of(position), { dtype: np.int32 }),
      angles: cloneReferences(angles[position]!),
    };
    const [probabilities, next] = compiled(cloneReferences(parameters), cache, token);
    cache = next;
    return (await probabilities.data()) as Float32Array;
  };
}
