import { ConfigError } from "@envs/core";

const page = 65_536;
const alignment = 64;

/** Allocates consecutive parts of a WebAssembly memory. Nothing is freed before the memory itself. */
export class Arena {
  readonly #memory: WebAssembly.Memory;
  #end: number;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#end = memory.buffer.byteLength;
  }

  /** Returns the address of `count` numbers of 4 bytes, all 0. Detaches views that were created before. */
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
        `Cannot allocate ${megabytes} MiB of memory for the model. Use fewer threads, fewer slots, a shorter context or a smaller model.`,
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
