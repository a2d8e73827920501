import { StringDecoder } from "node:string_decoder";

/** Keeps the first and the last half of a stream, up to a number of bytes. */
export class Capture {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer = Buffer.alloc(0);
  #dropped = 0;

  constructor(maxBytes: number) {
    this.#half = Math.ceil(maxBytes / 2);
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  get text(): string {
    const head = Buffer.concat(this.#head);
    if (!this.truncated) return Buffer.concat([head, this.#tail]).toString("utf8");
    // A character may be cut in two at the end of the head.
    const start = new StringDecoder("utf8").write(head);
    return `${start}\n[${this.#dropped} bytes omitted]\n${this.#tail.toString("utf8")}`;
  }

  write(data: Buffer): void {
    const space = Math.max(this.#half - this.#headBytes, 0);
    const first = data.subarray(0, space);
    if (first.length > 0) this.#head.push(Buffer.from(first));
    this.#headBytes += first.length;
    const tail = Buffer.concat([this.#tail, data.subarray(space)]);
    this.#dropped += Math.max(tail.length - this.#half, 0);
    this.#tail = tail.subarray(Math.max(tail.length - this.#half, 0));
  }
}
