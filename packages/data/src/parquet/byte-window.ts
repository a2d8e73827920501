import type { AsyncBuffer } from "hyparquet";

/** How many bytes are read at least, because pages follow each other. */
const readAhead = 2 ** 18;

/** A part of a file, of which some bytes are in memory. */
export class ByteWindow {
  readonly file: AsyncBuffer;
  readonly start: number;
  readonly #end: number;
  #bytes = new ArrayBuffer(0);
  #offset = 0;

  constructor(file: AsyncBuffer, start: number, end: number) {
    this.file = file;
    this.start = start;
    this.#end = end;
  }

  has(offset: number): boolean {
    return offset < this.#end;
  }

  /** The bytes from an offset of the file; fewer than `length` at the end of the part. */
  async view(offset: number, length: number): Promise<DataView> {
    const end = Math.min(offset + length, this.#end);
    if (offset < this.#offset || end > this.#offset + this.#bytes.byteLength) {
      this.#bytes = await this.file.slice(
        offset,
        Math.min(offset + Math.max(length, readAhead), this.#end),
      );
      this.#offset = offset;
    }
    return new DataView(this.#bytes, offset - this.#offset, end - offset);
  }

  /** The bytes between two offsets in pieces, of which one is in memory. */
  async *pieces(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let offset = start; offset < end; offset += readAhead) {
      const { buffer, byteOffset, byteLength } = await this.view(
        offset,
        Math.min(readAhead, end - offset),
      );
      yield new Uint8Array(buffer, byteOffset, byteLength);
    }
  }
}
