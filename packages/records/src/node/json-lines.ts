import { createReadStream } from "node:fs";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import * as z from "zod";

const lineFeed = 0x0a;

/**
 * Reads the lines of a file lazily, with their numbers from 1. Skips empty lines. Only a line feed ends a line: JSON strings
 * may contain U+2028 and U+2029, at which `node:readline` ends a line too.
 */
export async function* lines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let number = 0;
  for await (const bytes of byteLines(createReadStream(path))) {
    number += 1;
    const text = bytes.toString("utf8");
    if (text.trim() !== "") yield { number, text };
  }
}

/**
 * Splits bytes at line feeds. A character that two chunks share is decoded once its line is complete. A line is valid until the next
 * one is read, as chunks may be.
 */
export async function* byteLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end);
      yield pending.length === 0 ? rest : Buffer.concat([...pending, rest]);
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(Buffer.from(chunk.subarray(start)));
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/**
 * Reads the rows of a JSONL file as a dataset: `dataset: () => jsonLines("rows.jsonl", z.object({ prompt: z.string() }))`.
 * Throws a `ConfigError` if the file cannot be read, or if a line is not JSON or does not match `schema`.
 */
export async function* jsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): AsyncGenerator<z.output<Schema>> {
  try {
    for await (const { number, text } of lines(path))
      yield parseLine(text, schema, `${path}:${number}`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`Cannot read ${path}: ${messageOf(error)}`, [], { cause: error });
  }
}

function parseLine<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  location: string,
): z.output<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${location} is not JSON: ${messageOf(error)}`, [], { cause: error });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${location} does not match the schema:\n${z.prettifyError(parsed.error)}`);
}
