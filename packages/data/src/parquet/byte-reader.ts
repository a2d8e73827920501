/** Reads bytes that arrive in pieces. Present bytes are read without waiting. */
export class ByteReader {
  #pieces: AsyncIterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The number of bytes that are present. */
  get present(): number {
    return this.#bytes.length - this.#at;
  }

  /** Waits until `count` bytes are present. Returns false if there are fewer. */
  async fill(count: number): Promise<boolean> {
    if (this.present >= count) return true;
    const parts = [this.#bytes.subarray(this.#at)];
    let length = this.present;
    while (length < count) {
      const { done, value } = await this.#pieces.next();
      if (done === true) break;
      parts.push(value);
      length += value.length;
    }
    this.#bytes = length === parts[1]?.length ? parts[1] : Buffer.concat(parts);
    this.#at = 0;
    return length >= count;
  }

  /** Takes `count` bytes that are present. */
  take(count: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes;
    this.#at += count;
    return new Uint8Array(buffer, byteOffset + this.#at - count, count);
  }

  /** The bytes that are present. */
  view(): DataView {
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + this.#at, this.present);
  }

  /** Takes the rest. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (await this.fill(1)) yield this.take(this.present);
  }

  /** Takes a number of one to four bytes, which are present. */
  integer(size: number): number {
    let value = 0;
    for (let byte = size - 1; byte >= 0; byte -= 1)
      value = (value << 8) | this.#bytes[this.#at + byte]!;
    this.#at += size;
    return value >>> 0;
  }

  async skip(count: number): Promise<void> {
    let rest = count;
    while (rest > 0 && (await this.fill(1))) {
      const part = Math.min(rest, this.present);
      this.#at += part;
      rest -= part;
    }
  }
}
