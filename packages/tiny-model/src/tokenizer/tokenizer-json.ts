import { ConfigError } from "@envs/core";
import * as z from "zod";

import { specialTokens } from "./special-tokens.ts";
import { canMerge, maxSymbols, Symbols } from "./symbols.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";

const symbol = z.int().min(specialTokens.length).max(maxSymbols);

const tokenizerSchema = z.strictObject({
  format: z.literal("envs-tokenizer"),
  version: z.literal(1),
  pieces: z.enum(["lines", "words", "clauses"]),
  characters: z.array(z.string().refine(isCharacter, "must be one character")),
  merges: z.array(z.tuple([symbol, symbol])).max(maxSymbols / 2),
  tokens: z.array(symbol),
});

/**
 * A tokenizer as JSON. Symbols are numbered: special tokens, `characters`, then each new text that the pairs in `merges`
 * produce. `tokens` are the merged symbols that have an id.
 */
export type TokenizerJson = Readonly<z.output<typeof tokenizerSchema>>;

/** Reads the parsed output of `JSON.stringify(tokenizer)`. */
export function tokenizerFromJSON(json: unknown): Tokenizer {
  const { success, data, error } = tokenizerSchema.safeParse(json);
  if (!success) {
    throw new ConfigError(
      "The tokenizer is not in the format of this version of @envs/tiny-model. Read it from a checkpoint, or train a new one.",
      error.issues.slice(0, 5).map(({ path, message }) => ({ path: path.map(asKey), message })),
    );
  }
  const symbols = new Symbols(data.characters);
  if (new Set(data.characters).size < data.characters.length)
    throw corrupt("a character is listed twice");
  for (const [rank, [left, right]] of data.merges.entries()) {
    const { length } = symbols.texts;
    if (left >= length || right >= length)
      throw corrupt(`merge ${rank} uses a symbol that no earlier merge produces`);
    if (symbols.rule(left, right) !== undefined)
      throw corrupt(`merge ${rank} repeats an earlier one`);
    if (!canMerge(symbols, left, right))
      throw corrupt(`merge ${rank} produces a token that is too long`);
    symbols.merge(left, right);
  }
  const withId = new Set(data.tokens);
  if (withId.size < data.tokens.length) throw corrupt("a token is listed twice");
  for (const token of withId) {
    if (token < symbols.firstMerged || token >= symbols.texts.length)
      throw corrupt(`token ${token} is not a merged symbol`);
  }
  return createTokenizer({ pieces: data.pieces, symbols, withId });
}

function isCharacter(text: string): boolean {
  return text.isWellFormed() && Array.from(text).length === 1;
}

function asKey(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}

function corrupt(problem: string): ConfigError {
  return new ConfigError(
    `The tokenizer is corrupt: ${problem}. Read it from a checkpoint, or train a new one.`,
  );
}
