type Stream = "stdout" | "stderr";

/** The output of a run, up to a number of bytes for each stream. */
export class Output {
  readonly #parts: Record<Stream, Uint8Array[]> = { stdout: [], stderr: [] };
  readonly #left: Record<Stream, number>;
  truncated = false;

  constructor(max: number) {
    this.#left = { stdout: max, stderr: max };
  }

  /** The bytes that a stream can still take. */
  left(stream: Stream): number {
    return this.#left[stream];
  }

  write(stream: Stream, content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    // A copy, because the writer may use its buffer again.
    const part = Uint8Array.from(bytes.subarray(0, this.#left[stream]));
    this.truncated ||= part.length < bytes.length;
    if (part.length === 0) return;
    this.#parts[stream].push(part);
    this.#left[stream] -= part.length;
  }

  get texts(): Readonly<Record<Stream, string>> {
    return { stdout: this.#text("stdout"), stderr: this.#text("stderr") };
  }

  /** A cut text ends before the character that did not fit. */
  #text(stream: Stream): string {
    const isFull = this.#left[stream] === 0;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Buffer.concat(this.#parts[stream]),
      { stream: isFull },
    );
  }
}
