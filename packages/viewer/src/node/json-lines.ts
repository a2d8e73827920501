import { type FileHandle, open } from "node:fs/promises";

const lineFeed = 0x0a;
const chunkSize = 1 << 20;
/** The maximum length of a line; a longer one is reported, not read. */
const maxLineLength = 64 * 1024 * 1024;

/** A line of a file, with its position. */
export interface Line {
  /** The text; `undefined` for a line that is too long. */
  readonly text: string | undefined;
  readonly offset: number;
  /** The length in bytes, without the line feed. */
  readonly length: number;
}

/**
 * Reads the complete lines of a file from an offset, chunk by chunk. Stops before an incomplete last line, which the writer may
 * still complete. Empty lines are skipped.
 */
export async function* readLines(path: string, from: number): AsyncGenerator<readonly Line[]> {
  const file = await open(path, "r");
  try {
    let offset = from;
    let pending = Buffer.alloc(0);
    for (;;) {
      const chunk = await readChunk(file, offset + pending.length);
      if (chunk.length === 0) return;
      const bytes = Buffer.concat([pending, chunk]);
      const lines: Line[] = [];
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
        const text = bytes.toString("utf8", start, end);
        if (text.trim() !== "") lines.push({ text, offset: offset + start, length: end - start });
        start = end + 1;
      }
      offset += start;
      pending = bytes.subarray(start);
      if (lines.length > 0) yield lines;
      if (pending.length > maxLineLength) {
        const length = await lineLength(file, offset);
        if (length === undefined) return;
        yield [{ text: undefined, offset, length }];
        offset += length + 1;
        pending = Buffer.alloc(0);
      }
    }
  } finally {
    await file.close();
  }
}

async function readChunk(file: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  const { bytesRead } = await file.read(buffer, 0, chunkSize, position);
  return buffer.subarray(0, bytesRead);
}

async function lineLength(file: FileHandle, offset: number): Promise<number | undefined> {
  for (let position = offset; ;) {
    const chunk = await readChunk(file, position);
    if (chunk.length === 0) return undefined;
    const end = chunk.indexOf(lineFeed);
    if (end !== -1) return position + end - offset;
    position += chunk.length;
  }
}

/** Reads bytes of a file as text. */
export async function readRange(
  path: string,
  [offset, length]: readonly [number, number],
): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
