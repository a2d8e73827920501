import type { Shape } from "@envs/tiny-model";
import { type Array as Tensor, nn, numpy as np } from "@jax-js/jax";

import { parametersOf } from "../../../packages/tiny-model/src/engine/shape.ts";

/** The parameters of the tiny model by name. A type alias, because jax-js does not accept an interface as a tree. */
export type Parameters = { [name: string]: Tensor };

/** Cosines and signed sines of rotary positions: [positions, 1, size of a head]. */
export type Angles = { cosines: Tensor; sines: Tensor };

/** Converts our weights to arrays of jax-js. */
export function parametersFrom(shape: Shape, weights: Float32Array): Parameters {
  return Object.fromEntries(
    parametersOf(shape).map(({ name, rows, columns, offset }) => {
      const values = np.array(weights.slice(offset, offset + rows * columns));
      return [name, values.reshape([rows, columns])];
    }),
  );
}

/** Adds a reference to each array, because every function of jax-js consumes its arguments. */
export function cloneReferences<Tree extends { [name: string]: Tensor }>(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([name, { ref }]) => [name, ref])) as Tree;
}

/** The angles of `length` positions from `first`. */
export function rotaryAngles({ width, heads }: Shape, first: number, length: number): Angles {
  const size = width / heads;
  const half = size / 2;
  const table = (value: (angle: number, isLow: boolean) => number): Tensor =>
    np
      .array(
        Float32Array.from({ length: length * size }, (_, index) => {
          const position = first + Math.floor(index / size);
          const column = index % size;
          return value(position / 10_000 ** ((column % half) / half), column < half);
        }),
      )
      .reshape([length, 1, size]);
  return {
    cosines: table((angle) => Math.cos(angle)),
    sines: table((angle, isLow) => (isLow ? -1 : 1) * Math.sin(angle)),
  };
}

/** Root mean square normalisation: x / rms(x). */
export function rmsNorm(x: Tensor): Tensor {
  const square = np.square(x.ref).mean(-1, { keepdims: true });
  return x.mul(np.reciprocal(np.sqrt(square.add(1e-5))));
}

/** Applies rotary embeddings to [..., length, heads, size]. */
export function rotate(x: Tensor, { cosines, sines }: Angles): Tensor {
  const [low, high] = np.split(x.ref, 2, -1);
  return x.mul(cosines).add(np.concatenate([high!, low!], -1).mul(sines));
}

/** Adds the MLP with squared ReLU to its input. */
export function addMlp(x: Tensor, up: Tensor, down: Tensor): Tensor {
  const inner = np.matmul(rmsNorm(x.ref), up);
  return x.add(np.matmul(np.square(nn.relu(inner)), down));
}

/** Computes logits. Drops the padding of a head that is wider than the vocabulary. */
export function computeLogits(x: Tensor, head: Tensor, vocabulary: number): Tensor {
  const all = np.matmul(rmsNorm(x), head);
  return all.shape.at(-1) === vocabulary ? all : all.slice([], [0, vocabulary]);
}
