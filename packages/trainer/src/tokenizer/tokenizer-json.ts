import * as z from "zod";

import { specialTokens } from "./special-tokens.ts";
import { mostSymbols } from "./symbols.ts";

/** The first fields of every tokenizer file. */
export const tokenizerFormat = { format: "envs-tokenizer", version: 1 } as const;

const symbol = z.int().min(specialTokens.length).max(mostSymbols);

/** A tokenizer file. */
export const tokenizerSchema = z.strictObject({
  format: z.literal(tokenizerFormat.format),
  version: z.literal(tokenizerFormat.version),
  pieces: z.enum(["lines", "words"]),
  characters: z.array(z.string().refine(isCharacter, "must be one character")),
  merges: z.array(z.tuple([symbol, symbol])).max(mostSymbols / 2),
  tokens: z.array(symbol),
});

/**
 * A tokenizer as JSON. Symbols are numbered: special tokens, `characters`, then each new text that the pairs in `merges`
 * make. `tokens` are the merged symbols that have an id.
 */
export type TokenizerJson = z.infer<typeof tokenizerSchema>;

function isCharacter(text: string): boolean {
  return text.isWellFormed() && Array.from(text).length === 1;
}
