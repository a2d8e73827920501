import { posix } from "node:path";

/** The bytes that each entry counts besides its content, so that many empty files also fill the disk. */
const entryBytes = 512;

/** The files of one sandbox, in memory. Paths are relative to its working folder. */
export class Files {
  readonly #files = new Map<string, Uint8Array>();
  /** The maximum size of all files in bytes. */
  readonly max: number;
  #used = 0;

  constructor(max: number) {
    this.max = max;
  }

  read(path: string): Uint8Array | undefined {
    return this.#files.get(normalized(path));
  }

  write(path: string, content: Uint8Array): void {
    const name = normalized(path);
    const used = this.#used - sizeOf(name, this.#files.get(name)) + sizeOf(name, content);
    if (used > this.max)
      throw new Error(
        `ENOSPC: no space left on device, write '${path}': the disk has ${this.max} bytes.`,
      );
    this.#files.set(name, content);
    this.#used = used;
  }

  remove(path: string): boolean {
    const name = normalized(path);
    this.#used -= sizeOf(name, this.#files.get(name));
    return this.#files.delete(name);
  }

  get paths(): readonly string[] {
    return [...this.#files.keys()].sort();
  }
}

function sizeOf(name: string, content: Uint8Array | undefined): number {
  return content === undefined ? 0 : entryBytes + name.length + content.byteLength;
}

function normalized(path: string): string {
  return posix.join("/", path).slice(1);
}
