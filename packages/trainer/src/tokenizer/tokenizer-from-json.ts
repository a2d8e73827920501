import { ConfigError } from "@envs/core";

import { canMerge, Symbols } from "./symbols.ts";
import { tokenizerSchema } from "./tokenizer-json.ts";
import { type Tokenizer, tokenizerOf } from "./tokenizer.ts";

/** Reads what `JSON.stringify(tokenizer)` wrote, once it is parsed. */
export function tokenizerFromJSON(json: unknown): Tokenizer {
  const { success, data, error } = tokenizerSchema.safeParse(json);
  if (!success) {
    throw new ConfigError(
      "This is no tokenizer as this version of @envs/trainer writes it. Take it from a checkpoint, or train one anew.",
      error.issues
        .slice(0, 5)
        .map((issue) => ({ path: issue.path.map(asKey), message: issue.message })),
    );
  }
  const symbols = new Symbols(data.characters);
  if (new Set(data.characters).size < data.characters.length)
    throw broken("a character is listed twice");
  for (const [rank, [left, right]] of data.merges.entries()) {
    const known = symbols.texts.length;
    if (left >= known || right >= known)
      throw broken(`merge ${rank} uses a symbol that no earlier merge makes`);
    if (symbols.rule(left, right) !== undefined)
      throw broken(`merge ${rank} repeats an earlier one`);
    if (!canMerge(symbols, left, right))
      throw broken(`merge ${rank} makes a token that is too long`);
    symbols.merge(left, right);
  }
  const kept = new Set(data.tokens);
  if (kept.size < data.tokens.length) throw broken("a token is listed twice");
  for (const token of kept) {
    if (token < symbols.firstMerged || token >= symbols.texts.length)
      throw broken(`token ${token} is no merged symbol`);
  }
  return tokenizerOf({ pieces: data.pieces, symbols, kept });
}

function asKey(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}

function broken(what: string): ConfigError {
  return new ConfigError(
    `The tokenizer is broken: ${what}. Take it from a checkpoint, or train one anew.`,
  );
}
