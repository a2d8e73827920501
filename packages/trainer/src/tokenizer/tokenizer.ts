import { ConfigError } from "@envs/core";

import { mergeAll } from "./merge.ts";
import { cut, type Pieces } from "./pieces.ts";
import {
  nibbleAt,
  roleTokens,
  type RoleToken,
  specialTokens,
  textOfNibbles,
} from "./special-tokens.ts";
import type { Symbols } from "./symbols.ts";
import { type TokenizerJson, tokenizerFormat } from "./tokenizer-json.ts";

/** Text to token ids and back, without loss: `decode(encode(text))` is `text`, whatever the text. */
export interface Tokenizer {
  /** Ids are the whole numbers from 0 up to it. */
  readonly vocabularySize: number;
  /** The text of each id; for special tokens, their name. */
  readonly tokens: readonly string[];
  /** The ids of the tokens that mark roles. Text that looks like one of them is never encoded to it. */
  readonly roleIds: Readonly<Record<RoleToken, number>>;
  /** A lone surrogate, which is no text, becomes U+FFFD. */
  encode(text: string): number[];
  /** Ids that `encode` never makes have a text, too: special tokens show their name, half a character is U+FFFD. */
  decode(ids: readonly number[]): string;
  toJSON(): TokenizerJson;
}

/** What a tokenizer is made of: symbols, and which of the merged ones have an id. */
export interface TokenizerParts {
  readonly pieces: Pieces;
  readonly symbols: Symbols;
  readonly kept: ReadonlySet<number>;
}

const roleIds = Object.fromEntries(roleTokens.map((name, id) => [name, id])) as Record<
  RoleToken,
  number
>;

const cachedPieces = 20_000;
const longestCached = 512;

/** Puts a tokenizer together. */
export function tokenizerOf({ pieces, symbols, kept }: TokenizerParts): Tokenizer {
  const { tokens, idsOf } = number(symbols, kept);
  const cache = new Map<string, readonly number[]>();

  const encodePiece = (piece: string): readonly number[] => {
    const known = cache.get(piece);
    if (known !== undefined) return known;
    const ids = mergeAll(symbols, symbols.spell(piece)).flatMap((symbol) => idsOf[symbol]!);
    if (piece.length > longestCached) return ids;
    if (cache.size >= cachedPieces) cache.clear();
    cache.set(piece, ids);
    return ids;
  };

  return {
    vocabularySize: tokens.length,
    tokens,
    roleIds,
    encode: (text) => cut(text.toWellFormed(), pieces).flatMap(encodePiece),
    decode(ids) {
      let text = "";
      let nibbles: number[] = [];
      for (const id of ids) {
        const nibble = nibbleAt(id);
        if (nibble !== undefined) {
          nibbles.push(nibble);
          continue;
        }
        const token = tokens[id];
        if (token === undefined) throw noSuchToken(id, tokens.length);
        text += textOfNibbles(nibbles) + token;
        nibbles = [];
      }
      return text + textOfNibbles(nibbles);
    },
    toJSON: () => ({
      ...tokenizerFormat,
      pieces,
      characters: symbols.texts.slice(specialTokens.length, symbols.firstMerged),
      merges: symbols.merges.map(([left, right]) => [left, right]),
      tokens: [...kept].toSorted((a, b) => a - b),
    }),
  };
}

/** Gives ids to special tokens, characters and kept symbols; every other symbol is written as its parts. */
function number(symbols: Symbols, kept: ReadonlySet<number>) {
  const tokens: string[] = [];
  const idsOf: (readonly number[])[] = [];
  for (const [symbol, text] of symbols.texts.entries()) {
    if (symbol < symbols.firstMerged || kept.has(symbol)) {
      idsOf.push([tokens.push(text) - 1]);
    } else {
      idsOf.push(symbols.parts(symbol).flatMap((part) => idsOf[part]!));
    }
  }
  return { tokens, idsOf };
}

function noSuchToken(id: number, vocabularySize: number): ConfigError {
  return new ConfigError(
    `There is no token ${id}: this tokenizer has the ids 0 to ${vocabularySize - 1}. Decode ids with the tokenizer that made them.`,
  );
}
