import { ConfigError } from "@envs/core";

import { applyMerges } from "./apply-merges.ts";
import { learnMerges } from "./learn-merges.ts";
import { type Pieces, splitPieces } from "./pieces.ts";
import { specialTokens } from "./special-tokens.ts";
import { Symbols } from "./symbols.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";
import { trimVocabulary } from "./trim-vocabulary.ts";

export interface TokenizerOptions {
  /** Maximum number of tokens, special tokens included. Texts with few repetitions need fewer. */
  readonly vocabularySize: number;
  /** Default: `lines`. */
  readonly pieces?: Pieces | undefined;
}

const minVocabulary = 32;
const maxVocabulary = 65_536;

/** Merges to learn per token of the vocabulary. On games and on source code, more merges did not save tokens. */
const mergesPerToken = 8;

/**
 * Trains a tokenizer on texts, one per message: byte-pair encoding with more merges than the vocabulary has room for, then
 * {@link trimVocabulary}. The order of the texts does not matter.
 */
export function trainTokenizer(texts: Iterable<string>, options: TokenizerOptions): Tokenizer {
  const { vocabularySize, pieces = "lines" } = options;
  if (
    !Number.isInteger(vocabularySize) ||
    vocabularySize < minVocabulary ||
    vocabularySize > maxVocabulary
  ) {
    throw new ConfigError(
      `vocabularySize is ${vocabularySize}. It must be an integer from ${minVocabulary} to ${maxVocabulary}; 256 is enough for a game.`,
    );
  }
  const counts = countPieces(texts, pieces);
  if (counts.size === 0)
    throw new ConfigError(
      "The texts to train a tokenizer on are empty. Pass the messages of some rollouts.",
    );

  const symbols = new Symbols(alphabet(counts, vocabularySize));
  const room = vocabularySize - symbols.firstMerged;
  learnMerges(symbols, counts, mergesPerToken * room);
  const withId = trimVocabulary(symbols, occurrences(symbols, counts), room);
  return createTokenizer({ pieces, symbols, withId });
}

function countPieces(texts: Iterable<string>, pieces: Pieces): Map<string, number> {
  const textCounts = new Map<string, number>();
  for (const text of texts) add(textCounts, text.toWellFormed(), 1);
  const counts = new Map<string, number>();
  for (const [text, count] of textCounts)
    for (const piece of splitPieces(text, pieces)) add(counts, piece, count);
  return counts;
}

/** The most frequent characters, at most half of the vocabulary; all others are encoded as bytes. */
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

/** Number of occurrences of each symbol in the merged texts. */
function occurrences(symbols: Symbols, counts: ReadonlyMap<string, number>): number[] {
  const occurrences = symbols.texts.map(() => 0);
  for (const [piece, count] of counts)
    for (const symbol of applyMerges(symbols, symbols.spell(piece))) occurrences[symbol]! += count;
  return occurrences;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
