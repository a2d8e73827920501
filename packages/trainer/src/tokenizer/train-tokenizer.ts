import { ConfigError } from "@envs/core";

import { chooseTokens } from "./choose-tokens.ts";
import { learnMerges } from "./learn-merges.ts";
import { mergeAll } from "./merge.ts";
import { cut, type Pieces } from "./pieces.ts";
import { specialTokens } from "./special-tokens.ts";
import { Symbols } from "./symbols.ts";
import { type Tokenizer, tokenizerOf } from "./tokenizer.ts";

export interface TokenizerOptions {
  /** The most tokens, special ones included. It stays below if the texts have nothing more to merge. */
  readonly vocabularySize: number;
  /** Default: `lines`. */
  readonly pieces?: Pieces;
}

const smallest = 32;
const largest = 65_536;

/** Rules that are learned for each token that may stay: measured on games and on source code, more gains nothing. */
const mergesPerToken = 8;

/**
 * Trains a tokenizer on texts (one message each): byte-pair encoding to more merges than asked for, then the tokens that the
 * texts need least are trimmed. Equal texts in another order give the same tokenizer.
 */
export function trainTokenizer(texts: Iterable<string>, options: TokenizerOptions): Tokenizer {
  const { vocabularySize, pieces = "lines" } = options;
  if (!Number.isInteger(vocabularySize) || vocabularySize < smallest || vocabularySize > largest) {
    throw new ConfigError(
      `vocabularySize is ${vocabularySize}, but must be a whole number from ${smallest} to ${largest}; 256 is enough for a game.`,
    );
  }
  const counts = countPieces(texts, pieces);
  if (counts.size === 0)
    throw new ConfigError(
      "There is no text to train a tokenizer on. Pass the messages of some rollouts.",
    );

  const symbols = new Symbols(alphabet(counts, vocabularySize));
  const room = vocabularySize - symbols.firstMerged;
  learnMerges(symbols, counts, mergesPerToken * room);
  const kept = chooseTokens(symbols, occurrences(symbols, counts), room);
  return tokenizerOf({ pieces, symbols, kept });
}

function countPieces(texts: Iterable<string>, pieces: Pieces): Map<string, number> {
  const whole = new Map<string, number>();
  for (const text of texts) add(whole, text.toWellFormed(), 1);
  const counts = new Map<string, number>();
  for (const [text, count] of whole)
    for (const piece of cut(text, pieces)) add(counts, piece, count);
  return counts;
}

/** The most frequent characters, at most half of the vocabulary: what is left out is written as bytes. */
function alphabet(counts: ReadonlyMap<string, number>, vocabularySize: number): string[] {
  const characters = new Map<string, number>();
  for (const [piece, count] of counts)
    for (const character of piece) add(characters, character, count);
  const room = Math.min(vocabularySize >> 1, vocabularySize - specialTokens.length);
  return [...characters]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, room)
    .map(([character]) => character)
    .sort();
}

/** How often each symbol stands in the merged texts. */
function occurrences(symbols: Symbols, counts: ReadonlyMap<string, number>): number[] {
  const occurrences = symbols.texts.map(() => 0);
  for (const [piece, count] of counts)
    for (const symbol of mergeAll(symbols, symbols.spell(piece))) occurrences[symbol]! += count;
  return occurrences;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
