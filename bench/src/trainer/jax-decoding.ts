import type { Checkpoint, Shape } from "@envs/tiny-model";
import { type Array as Tensor, jit, nn, numpy as np } from "@jax-js/jax";

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

/** Keys and values of each layer: [conversations, heads, room, size]. */
type Cache = { keys: Tensor[]; values: Tensor[] };

/**
 * One token of each conversation, with what was read before in a cache of a fixed shape. jax-js 0.1 has no update in place,
 * so a step writes the cache anew, and attention looks at all of its room, masked.
 */
function stepOf({ vocabulary, width, heads, layers }: Shape, room: number) {
  const size = width / heads;
  return (
    parameters: Parameters,
    { keys, values }: Cache,
    { ids, position, angles }: { ids: Tensor; position: Tensor; angles: Angles },
  ): [Tensor, Cache] => {
    const of = (name: string): Tensor => parameters[name]!;
    const count = ids.shape[0]!;
    const here = np.equal(np.arange(room).reshape([1, 1, room, 1]), position.ref);
    const isSeen = np.lessEqual(np.arange(room).reshape([1, 1, room]), position);
    const next: Cache = { keys: [], values: [] };
    let x = normalized(np.take(of("embedding"), ids, 0));
    for (let layer = 0; layer < layers; layer += 1) {
      const qkv = np.matmul(normalized(x.ref), of(`layers.${layer}.qkv`));
      const [q, k, v] = np
        .split(qkv.reshape([count, 3, heads, size]), 3, 1)
        .map((part) => part.reshape([count, 1, heads, size]));
      const column = (part: Tensor): Tensor => part.reshape([count, heads, 1, size]);
      const key = column(rotated(k!, again(angles)));
      const allKeys = np.where(here.ref, key, keys[layer]!);
      const allValues = np.where(here.ref, column(v!), values[layer]!);
      const query = rotated(q!, again(angles)).reshape([count, heads, size, 1]);
      const scores = np.matmul(allKeys.ref, query).reshape([count, heads, room]);
      const scaled = np.where(isSeen.ref, scores.mul(1 / Math.sqrt(size)), -1e30);
      const shares = nn.softmax(scaled, -1).reshape([count, heads, 1, room]);
      const mixed = np.matmul(shares, allValues.ref).reshape([count, width]);
      next.keys.push(allKeys);
      next.values.push(allValues);
      x = x.add(np.matmul(mixed, of(`layers.${layer}.out`)));
      x = withMlp(x, of(`layers.${layer}.up`), of(`layers.${layer}.down`));
    }
    for (const array of [here, isSeen, ...Object.values(angles)]) array.dispose();
    return [nn.softmax(logitsOf(x, of("head"), vocabulary), -1), next];
  };
}

/** The model in jax-js, compiled for `slots` conversations of up to `room` tokens. */
export function jaxDecoderOf(
  { shape, state }: Checkpoint,
  { slots, room }: { readonly slots: number; readonly room: number },
): (ids: Int32Array, position: number) => Promise<Float32Array> {
  const compiled = jit(stepOf(shape, room));
  const parameters = parametersFrom(shape, state.weights);
  const { width, heads, layers } = shape;
  const empty = (): Tensor[] =>
    Array.from({ length: layers }, () => np.zeros([slots, heads, room, width / heads]));
  let cache: Cache = { keys: empty(), values: empty() };
  const angles = Array.from({ length: room }, (_, position) => anglesAt(shape, position, 1));
  return async (ids, position) => {
    const token = {
      ids: np.array(Int32Array.from(ids), { dtype: np.int32 }),
      position: np.array(Int32Array.of(position), { dtype: np.int32 }),
      angles: again(angles[position]!),
    };
    const [probabilities, next] = compiled(again(parameters), cache, token);
    cache = next;
    return (await probabilities.data()) as Float32Array;
  };
}
