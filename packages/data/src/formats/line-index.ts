import { mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import * as z from "zod";

import { readBytes } from "../files/read-text.ts";
import { cacheFolder, hashOf } from "../files/url-file.ts";

/** Where a row of a file begins. */
export interface RowStart {
  /** The number of rows before it: lines that are not blank. */
  readonly row: number;
  /** The number of lines before it. */
  readonly line: number;
  /** The offset of its first byte, after decompression. */
  readonly offset: number;
}

/** The number of rows between those whose places are kept. */
const stride = 1000;

const indexFile = z.object({
  size: z.number(),
  modified: z.number(),
  starts: z.array(z.tuple([z.number(), z.number()])),
});

/**
 * Finds where a row begins, or where the file ends if it has fewer rows. Keeps the places of every 1,000th row that it passes in
 * the cache, by the path, size and time of change of the file, and continues from the nearest of them.
 */
export async function rowStart(path: string, row: number): Promise<RowStart> {
  const real = await realpath(path);
  const { size, mtimeMs: modified } = await stat(real);
  const target = join(cacheFolder(), "lines", `${hashOf(real)}.json`);
  const stored = await read(target);
  const isCurrent = stored?.size === size && stored.modified === modified;
  const starts = isCurrent ? stored.starts : [];
  const known = starts.length;
  const nearest = Math.min(known, Math.floor(row / stride));
  const [offset, line] = starts[nearest - 1] ?? [0, 0];
  const found = await scan(path, { row: nearest * stride, line, offset }, row, (start) => {
    if (start.row === (starts.length + 1) * stride) starts.push([start.offset, start.line]);
  });
  // The index only saves time, so a cache that cannot be written is acceptable.
  if (starts.length > known) await write(target, { size, modified, starts }).catch(() => {});
  return found;
}

/** Passes the lines of a file from a place on, up to a row. `onRow` is called at the beginning of each row. */
async function scan(
  path: string,
  from: RowStart,
  row: number,
  onRow: (start: RowStart) => void,
): Promise<RowStart> {
  const start = { ...from };
  let position = start.offset;
  let isBlank = true;
  for await (const chunk of readBytes(path, { offset: start.offset, isReused: true })) {
    let at = start.offset === 0 && position === 0 && isMark(chunk) ? 3 : 0;
    while (at < chunk.length) {
      if (isBlank) {
        while (at < chunk.length && chunk[at]! <= 0x20 && chunk[at] !== 0x0a) at += 1;
        if (at === chunk.length) break;
        if (chunk[at] !== 0x0a) {
          onRow(start);
          if (start.row === row) return start;
          start.row += 1;
          isBlank = false;
        }
      }
      const end = chunk.indexOf(0x0a, at);
      if (end === -1) break;
      start.line += 1;
      start.offset = position + end + 1;
      isBlank = true;
      at = end + 1;
    }
    position += chunk.length;
  }
  return start;
}

/** Whether bytes begin with a byte order mark. */
function isMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

async function read(path: string): Promise<z.output<typeof indexFile> | undefined> {
  try {
    return indexFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

async function write(path: string, index: z.output<typeof indexFile>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, JSON.stringify(index));
  await rename(partial, path);
}
