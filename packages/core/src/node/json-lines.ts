import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

import * as z from "zod";

import { ConfigError, messageOf } from "../errors.ts";

/** The lines of a file with their numbers from 1, read lazily; empty ones are left out. */
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
 * The rows of a JSONL file as a dataset: `dataset: () => jsonLines("rows.jsonl", z.object({ prompt: z.string() }))`.
 * Throws a `ConfigError` if the file cannot be read, or, naming the line, if one is not JSON or does not fit.
 */
export async function* jsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): AsyncGenerator<z.output<Schema>> {
  try {
    for await (const { number, text } of lines(path)) yield read(text, schema, `${path}:${number}`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}`, [], { cause: error });
  }
}

function read<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  where: string,
): z.output<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${where} is not JSON: ${messageOf(error)}`, [], { cause: error });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${where} does not fit:\n${z.prettifyError(parsed.error)}`);
}
