import * as z from "zod";

import { type JsonSpan, jsonSpans } from "./json-spans.ts";
import { meanOverReplies, type Parser } from "./parser.ts";

/**
 * Reads the last JSON value in a text that fits `schema`: the text itself, an object or array anywhere in it, or what
 * a code fence holds. Of nested values the outermost is tried. `undefined` if none fits.
 */
export function jsonParser<Schema extends z.ZodType>(
  schema: Schema,
): Parser<z.output<Schema> | undefined> {
  const parse = (text: string): z.output<Schema> | undefined => {
    for (const candidate of candidates(text)) {
      const parsed = tryParse(schema, candidate);
      if (parsed.success) return parsed.data;
    }
    return undefined;
  };
  return {
    format: `JSON that fits this schema: ${JSON.stringify(z.toJSONSchema(schema, { io: "input" }))}`,
    parse,
    formatScore: (completion) =>
      meanOverReplies(completion, (text) => (parse(text) === undefined ? 0 : 1)),
  };
}

/** A schema that refers to itself can run out of stack on what a model wrote: then that does not fit. */
function tryParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { success: true; data: z.output<Schema> } | { success: false } {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return { success: false };
    throw error;
  }
}

function* candidates(text: string): Generator {
  const whole = { from: 0, to: text.length };
  const spans = [...jsonSpans(text), ...fencedValues(text)].toSorted((a, b) => b.from - a.from);
  for (const { from, to } of [whole, ...spans]) {
    try {
      yield JSON.parse(text.slice(from, to));
    } catch {
      // Most texts are not JSON as a whole.
    }
  }
}

/** The insides of code fences that may be a plain value: text, a number, `true`, `false` or `null`. */
function fencedValues(text: string): JsonSpan[] {
  let at = 0;
  return text.split("```").flatMap((part, index) => {
    const from = at;
    at += part.length + 3;
    const body = /^\w*\s+(?=["\dtfn-])/.exec(part);
    return index % 2 === 1 && body !== null
      ? [{ from: from + body[0].length, to: from + part.length }]
      : [];
  });
}
