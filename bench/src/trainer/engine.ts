import type { Checkpoint } from "@envs/tiny-model";

import { Arena } from "../../../packages/tiny-model/src/engine/arena.ts";
import { type DecodeStep, Decoder } from "../../../packages/tiny-model/src/engine/decoder.ts";
import { startEngine } from "../../../packages/tiny-model/src/engine/engine.ts";
import { startKernels } from "../../../packages/tiny-model/src/engine/kernels.ts";

/** Sizes of products: those of the model, and smaller ones that fit into the processor's caches. */
const sizes = [
  [510, 192, 64],
  [510, 256, 64],
  [510, 64, 256],
  [96, 64, 256],
  [48, 32, 256],
] as const;

/** Repeated multiplication of two matrices. */
export interface Product {
  readonly name: string;
  /** Floating-point operations of one call of `work`. */
  readonly operations: number;
  work(): Promise<void>;
}

/** Calls the matrix kernel alone, at several sizes. */
export function products(): Product[] {
  const kernels = startKernels();
  const arena = new Arena(kernels.memory);
  const [a, b, c] = [0, 1, 2].map(() => arena.allocate(2 ** 18)) as [number, number, number];
  for (const address of [a, b]) arena.floats(address, 2 ** 18).fill(0.5);
  return sizes.map(([m, n, k]) => {
    const once = 2 * m * n * k;
    const times = Math.ceil(1e9 / once);
    return {
      name: `${m} × ${n} × ${k}`,
      operations: times * once,
      async work() {
        for (let time = 0; time < times; time += 1)
          kernels.gemm(m, n, k, a, k * 4, 4, b, n * 4, c, n * 4, 0);
      },
    };
  });
}

/** Creates a decoder that reads one token of each of `slots` conversations per call. */
export function createDecoder(
  { shape, state }: Checkpoint,
  slots: number,
): (ids: Int32Array, position: number) => Float32Array {
  const engine = startEngine(shape);
  engine.weights.values.set(state.weights);
  const decoder = new Decoder(engine, { slots, capacity: slots });
  return (ids, position) => {
    const steps = Array.from(ids, (id, slot): DecodeStep => ({
      id,
      slot,
      position,
      isLast: true,
      temperature: 1,
    }));
    return decoder.read(steps).rows;
  };
}
