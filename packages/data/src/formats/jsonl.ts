import { open } from "node:fs/promises";

import { ConfigError, type Random } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { byteLines } from "@envs/records/node";

import type { DataFile } from "../files/data-file.ts";
import { compressionOf, countOf, readBytes, reading } from "../files/read-text.ts";
import type { Cells, Chunk } from "../rows.ts";
import { type RowStart, rowStart } from "./line-index.ts";

/** A JSONL file, or one JSON array of objects, which pandas and `datasets` write too. */
export async function jsonlFormat({ name, path }: DataFile): Promise<readonly Chunk[]> {
  const local = await path();
  let isArray = false;
  const locationOf = (position: number) =>
    isArray ? `${name}[${position}]` : `${name}:${position}`;

  async function* read(
    random: Random | undefined,
    start: number,
  ): AsyncGenerator<readonly [number, Cells]> {
    const place = start === 0 || (await hasArray(local)) ? fileStart : await rowStart(local, start);
    const lines = random === undefined ? linesOf(local, place) : shuffledLines(local, random);
    for await (const [position, text] of lines) {
      if (text.startsWith("[")) {
        // A line of JSONL is an object.
        isArray = true;
        yield* elementsOf(name, local, start);
        return;
      }
      yield [position, cellsOf(parseJson(text, locationOf(position)), locationOf(position))];
    }
  }
  const rows = (random: Random | undefined, start: number) =>
    reading(name, () => read(random, start));
  const count = async () =>
    (await hasArray(local)) ? countOf(rows(undefined, 0)) : (await rowStart(local, Infinity)).row;
  return [{ rows, count, locationOf }];
}

const fileStart: RowStart = { row: 0, line: 0, offset: 0 };

async function hasArray(path: string): Promise<boolean> {
  for await (const [, text] of linesOf(path, fileStart)) return text.startsWith("[");
  return false;
}

/** The lines from a place on with their numbers from 1, without empty lines and byte order mark. */
async function* linesOf(
  path: string,
  { line, offset }: RowStart,
): AsyncGenerator<readonly [number, string]> {
  let number = line;
  for await (const bytes of byteLines(readBytes(path, { offset, isReused: true }))) {
    number += 1;
    const text = textOf(bytes, number);
    if (text !== "") yield [number, text];
  }
}

/** The lines of an uncompressed file in random order. Keeps their offsets in memory, not their text. */
async function* shuffledLines(
  path: string,
  random: Random,
): AsyncGenerator<readonly [number, string]> {
  if ((await compressionOf(path)) !== undefined) return yield* linesOf(path, fileStart);
  const offsets = [0];
  for await (const bytes of byteLines(readBytes(path, { isReused: true })))
    offsets.push(offsets.at(-1)! + bytes.length + 1);
  await using file = await open(path);
  for (const line of random.shuffle(Array.from({ length: offsets.length - 1 }, (_, at) => at))) {
    const [start = 0, next = 0] = [offsets[line], offsets[line + 1]];
    const bytes = Buffer.alloc(next - 1 - start);
    await file.read(bytes, 0, bytes.length, start);
    const text = textOf(bytes, line + 1);
    if (text !== "") yield [line + 1, text];
  }
}

function textOf(bytes: Buffer, number: number): string {
  const text = bytes.toString("utf8").trim();
  return number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
}

async function* elementsOf(
  name: string,
  path: string,
  start: number,
): AsyncGenerator<readonly [number, Cells]> {
  const text = Buffer.concat(await Array.fromAsync(readBytes(path))).toString("utf8");
  const elements = parseJson(text.replace(/^\uFEFF/, ""), name);
  if (!Array.isArray(elements)) throw new ConfigError(`${name} is not a JSON array of objects.`);
  for (const [index, element] of elements.entries())
    if (index >= start) yield [index, cellsOf(element, `${name}[${index}]`)];
}

function parseJson(text: string, location: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${location} is not JSON: ${messageOf(error)}`, [], { cause: error });
  }
}

function cellsOf(value: unknown, location: string): Cells {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Cells;
  throw new ConfigError(`${location} is not a JSON object: ${JSON.stringify(value).slice(0, 60)}.`);
}
