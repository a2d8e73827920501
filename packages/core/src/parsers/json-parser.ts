import * as z from "zod";

import { type JsonSpan, jsonSpans } from "./json-spans.ts";
import { meanOverReplies, type Parser } from "./parser.ts";

/**
 * Reads the last JSON value in a text that matches `schema`: the whole text, an object or array anywhere in it, or the content
 * of a code fence. Of nested values only the outermost is tried. `undefined` if no value matches.
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

/** A recursive schema can overflow the stack on deeply nested JSON. Such a value does not match. */
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
      // Most texts are not JSON.
    }
  }
}

/** Finds the contents of code fences that may be a plain value: a string, a number, `true`, `false` or `null`. */
function fencedValues(text: string): JsonSpan[] {
  let position = 0;
  return text.split("```").flatMap((part, index) => {
    const from = position;
    position += part.length + 3;
    const body = /^\w*\s+(?=["\dtfn-])/.exec(part);
    return index % 2 === 1 && body !== null
      ? [{ from: from + body[0].length, to: from + part.length }]
      : [];
  });
}
