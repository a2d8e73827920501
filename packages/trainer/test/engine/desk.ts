import { random } from "@envs/core";

import type { KernelBuild, Kernels } from "../../src/engine/kernels.ts";
import { startKernels } from "../../src/engine/kernels.ts";

/** What lies where nothing may be written, or read into a result. */
export const untouched = Number.NaN;

/** The builds of the kernels; every test holds for both. */
export const builds: readonly KernelBuild[] = ["simd", "relaxed"];

/** A stretch of a kernels' memory, with a margin that must stay as it was. */
export interface Sheet {
  readonly address: number;
  read(): number[];
  ints(): number[];
}

const margin = 16;
const bytes = 1 << 22;

/** Kernels with one memory that is used again and again. */
export class Desk {
  readonly kernels: Kernels;
  readonly #start: number;
  #end: number;

  constructor(build: KernelBuild) {
    this.kernels = startKernels(build);
    this.#start = this.kernels.memory.buffer.byteLength;
    this.kernels.memory.grow(bytes / 65_536);
    this.#end = this.#start;
  }

  /** Takes everything away: what is not written after it is not a number. */
  clear(): void {
    this.#end = this.#start;
    new Float32Array(this.kernels.memory.buffer, this.#start).fill(untouched);
  }

  put(values: ArrayLike<number>): Sheet {
    const sheet = this.room(values.length);
    new Float32Array(this.kernels.memory.buffer, sheet.address, values.length).set(values);
    return sheet;
  }

  putInts(values: ArrayLike<number>): Sheet {
    const sheet = this.room(values.length);
    new Int32Array(this.kernels.memory.buffer, sheet.address, values.length).set(values);
    return sheet;
  }

  room(count: number): Sheet {
    const { buffer } = this.kernels.memory;
    const address = this.#end + margin * 4;
    this.#end = Math.ceil((address + (count + margin) * 4) / 16) * 16;
    if (this.#end > buffer.byteLength) throw new RangeError("The desk is too small.");
    return {
      address,
      read: () => {
        for (const at of [address - margin * 4, address + count * 4])
          for (const value of new Float32Array(buffer, at, margin))
            if (!Number.isNaN(value))
              throw new Error(`A kernel wrote beside its ${count} numbers.`);
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

/** How far two lists are apart, at most. */
export function distance(left: readonly number[], right: readonly number[]): number {
  if (left.length !== right.length) throw new Error(`${left.length} and ${right.length} numbers.`);
  let most = 0;
  for (const [index, value] of left.entries()) {
    const apart = Math.abs(value - right[index]!);
    // NaN is as far away as can be.
    most = Number.isNaN(apart) ? Infinity : Math.max(most, apart);
  }
  return most;
}

/** The derivative of `value` by each of `at`, by central differences; `value` calculates in double precision. */
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
