import { ConfigError } from "@envs/core";

const page = 65_536;
const alignment = 64;

/** Hands out parts of a WebAssembly memory, one after another, until the model that owns them is gone. */
export class Arena {
  readonly #memory: WebAssembly.Memory;
  #end: number;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#end = memory.buffer.byteLength;
  }

  /** The address of `count` numbers of 4 bytes, all 0. Views made before are stale. */
  allocate(count: number): number {
    const start = this.#end;
    this.#end = Math.ceil((start + count * 4) / alignment) * alignment;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#grow(Math.ceil(missing / page));
    return start;
  }

  #grow(pages: number): void {
    try {
      this.#memory.grow(pages);
    } catch (error) {
      const megabytes = Math.ceil((this.#memory.buffer.byteLength + pages * page) / 2 ** 20);
      throw new ConfigError(
        `There is no memory for the model, which now needs ${megabytes} MiB. Take fewer threads, fewer slots or a smaller model.`,
        [],
        { cause: error },
      );
    }
  }

  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, count);
  }

  ints(address: number, count: number): Int32Array {
    return new Int32Array(this.#memory.buffer, address, count);
  }
}
