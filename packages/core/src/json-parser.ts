import * as z from "zod";

import { meanOverReplies, type Parser } from "./parser.ts";

/** Reads the last JSON value in a text that fits `schema`: fenced, inline, or the text itself. `undefined` if none does. */
export function jsonParser<Schema extends z.ZodType>(
  schema: Schema,
): Parser<z.output<Schema> | undefined> {
  const parse = (text: string): z.output<Schema> | undefined => {
    for (const candidate of candidates(text)) {
      const parsed = schema.safeParse(candidate);
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

function* candidates(text: string): Generator {
  for (const source of [text, ...bracketed(text).toReversed()]) {
    try {
      yield JSON.parse(source);
    } catch {
      // Text that is not JSON is what most of a reply is.
    }
  }
}

const closers = new Map([
  ["}", "{"],
  ["]", "["],
]);

/**
 * The longest stretches that begin with a bracket and end with its partner. They do not overlap, so trying them all
 * is linear too. A quote counts only within brackets, and a line break ends it: JSON strings have none.
 */
function bracketed(text: string): string[] {
  const open: { readonly at: number; readonly bracket: string }[] = [];
  const found: { readonly from: number; readonly to: number }[] = [];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (isQuoted) {
      if (character === "\\") at += 1;
      else if (character === '"' || character === "\n") isQuoted = false;
    } else if (character === '"') isQuoted = open.length > 0;
    else if (character === "{" || character === "[") open.push({ at, bracket: character });
    else if (open.at(-1)?.bracket === closers.get(character) && closers.has(character)) {
      const from = open.pop()!.at;
      while (found.length > 0 && found.at(-1)!.from > from) found.pop();
      found.push({ from, to: at + 1 });
    }
  }
  return found.map(({ from, to }) => text.slice(from, to));
}
