import { random } from "@envs/core";

import { type KernelBuild, type Kernels, startKernels } from "../../src/engine/kernels.ts";

/** Fills memory that a kernel may neither write to nor use. */
const untouched = Number.NaN;

/** Every test runs with all builds. */
export const builds: readonly KernelBuild[] = ["simd", "relaxed", "wide"];

/** Allocated numbers; `read` throws if a kernel wrote to the margins around them. */
export interface Block {
  readonly address: number;
  read(): number[];
  ints(): number[];
}

const margin = 16;
const bytes = 1 << 22;

/** Kernels with a memory that tests reuse. */
export class ScratchMemory {
  readonly kernels: Kernels;
  readonly #start: number;
  #end: number;

  constructor(build: KernelBuild) {
    this.kernels = startKernels(build);
    this.#start = this.kernels.memory.buffer.byteLength;
    this.kernels.memory.grow(bytes / 65_536);
    this.#end = this.#start;
  }

  /** Frees all blocks and fills the memory with NaN. */
  clear(): void {
    this.#end = this.#start;
    new Float32Array(this.kernels.memory.buffer, this.#start).fill(untouched);
  }

  put(values: ArrayLike<number>): Block {
    const block = this.allocate(values.length);
    new Float32Array(this.kernels.memory.buffer, block.address, values.length).set(values);
    return block;
  }

  putInts(values: ArrayLike<number>): Block {
    const block = this.allocate(values.length);
    new Int32Array(this.kernels.memory.buffer, block.address, values.length).set(values);
    return block;
  }

  allocate(count: number): Block {
    const { buffer } = this.kernels.memory;
    const address = this.#end + margin * 4;
    this.#end = Math.ceil((address + (count + margin) * 4) / 16) * 16;
    if (this.#end > buffer.byteLength) throw new RangeError("The scratch memory is too small.");
    return {
      address,
      read: () => {
        for (const at of [address - margin * 4, address + count * 4])
          for (const value of new Float32Array(buffer, at, margin))
            if (!Number.isNaN(value))
              throw new Error(`A kernel wrote outside its block of ${count} numbers.`);
        return [...new Float32Array(buffer, address, count)];
      },
      ints: () => [...new Int32Array(buffer, address, count)],
    };
  }
}

/** Numbers from −scale to scale, in single precision. */
export function numbers(seed: number, count: number, scale = 1): number[] {
  const source = random("numbers", seed);
  return Array.from({ length: count }, () => Math.fround(scale * (2 * source.next() - 1)));
}

/** The largest absolute difference of two lists. */
export function distance(left: readonly number[], right: readonly number[]): number {
  if (left.length !== right.length) throw new Error(`${left.length} and ${right.length} numbers.`);
  let max = 0;
  for (const [index, value] of left.entries()) {
    const difference = Math.abs(value - right[index]!);
    max = Number.isNaN(difference) ? Infinity : Math.max(max, difference);
  }
  return max;
}

/** The derivatives of `value` at a point, by central differences in double precision. */
export function differences(
  value: (at: readonly number[]) => number,
  at: readonly number[],
): number[] {
  const step = 1e-5;
  return at.map((_, index) => {
    const moved = [...at];
    moved[index] = at[index]! + step;
    const above = value(moved);
    moved[index] = at[index]! - step;
    return (above - value(moved)) / (2 * step);
  });
}
