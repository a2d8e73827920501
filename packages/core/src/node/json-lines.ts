import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

import * as z from "zod";

import { ConfigError, messageOf } from "../errors.ts";

/** Reads the lines of a file lazily, with their numbers from 1. Skips empty lines. */
export async function* lines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(path),
    crlfDelay: Infinity,
  })) {
    number += 1;
    if (text.trim() !== "") yield { number, text };
  }
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
