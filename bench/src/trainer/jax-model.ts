import type { Shape } from "@envs/tiny-model";
import { type Array as Tensor, nn, numpy as np } from "@jax-js/jax";

import { parametersOf } from "../../../packages/tiny-model/src/engine/shape.ts";

/** The parameters of the tiny model by name. jax-js wants a type alias: it does not accept an interface as a tree. */
export type Parameters = { [name: string]: Tensor };

/** Cosines and signed sines of rotary positions: rows of one head's size, for `length` positions from `first`. */
export type Angles = { cosines: Tensor; sines: Tensor };

/** Our weights as arrays of jax-js. */
export function parametersFrom(shape: Shape, weights: Float32Array): Parameters {
  return Object.fromEntries(
    parametersOf(shape).map(({ name, rows, columns, offset }) => {
      const values = np.array(weights.slice(offset, offset + rows * columns));
      return [name, values.reshape([rows, columns])];
    }),
  );
}

/** Another reference to each array: every function of jax-js uses up what it is given. */
export function again<Tree extends { [name: string]: Tensor }>(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([name, { ref }]) => [name, ref])) as Tree;
}

export function anglesAt({ width, heads }: Shape, first: number, length: number): Angles {
  const size = width / heads;
  const half = size / 2;
  const table = (value: (angle: number, isLow: boolean) => number): Tensor =>
    np
      .array(
        Float32Array.from({ length: length * size }, (_, index) => {
          const position = first + Math.floor(index / size);
          const place = index % size;
          return value(position / 10_000 ** ((place % half) / half), place < half);
        }),
      )
      .reshape([length, 1, size]);
  return {
    cosines: table((angle) => Math.cos(angle)),
    sines: table((angle, isLow) => (isLow ? -1 : 1) * Math.sin(angle)),
  };
}

/** x / rms(x). */
export function normalized(x: Tensor): Tensor {
  const square = np.square(x.ref).mean(-1, { keepdims: true });
  return x.mul(np.reciprocal(np.sqrt(square.add(1e-5))));
}

/** Turns [..., length, heads, size] by the angles of its positions. */
export function rotated(x: Tensor, { cosines, sines }: Angles): Tensor {
  const [low, high] = np.split(x.ref, 2, -1);
  return x.mul(cosines).add(np.concatenate([high!, low!], -1).mul(sines));
}

/** The MLP with squared ReLU, added to what came in. */
export function withMlp(x: Tensor, up: Tensor, down: Tensor): Tensor {
  const inner = np.matmul(normalized(x.ref), up);
  return x.add(np.matmul(np.square(nn.relu(inner)), down));
}

/** Logits of a vocabulary that may be narrower than the head's matrix. */
export function logitsOf(x: Tensor, head: Tensor, vocabulary: number): Tensor {
  const all = np.matmul(normalized(x), head);
  return all.shape.at(-1) === vocabulary ? all : all.slice([], [0, vocabulary]);
}
