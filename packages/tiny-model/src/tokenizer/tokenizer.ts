import { ConfigError } from "@envs/core";

import { applyMerges } from "./apply-merges.ts";
import { type Pieces, splitPieces } from "./pieces.ts";
import {
  decodeNibbles,
  nibbleAt,
  type RoleToken,
  roleTokens,
  specialTokens,
} from "./special-tokens.ts";
import type { Symbols } from "./symbols.ts";
import type { TokenizerJson } from "./tokenizer-json.ts";

/** Encodes text as token ids, without loss: `decode(encode(text))` is `text` for every well-formed text. */
export interface Tokenizer {
  /** Ids are the integers from 0 to `vocabularySize - 1`. */
  readonly vocabularySize: number;
  /** The text of each id; special tokens have their name. */
  readonly tokens: readonly string[];
  /** Ids of the role tokens. `encode` does not produce them, even for text that equals their name. */
  readonly roleIds: Readonly<Record<RoleToken, number>>;
  /** Lone surrogates become U+FFFD. */
  encode(text: string): number[];
  /** Special tokens become their name, incomplete characters U+FFFD. */
  decode(ids: readonly number[]): string;
  toJSON(): TokenizerJson;
}

export interface TokenizerParts {
  readonly pieces: Pieces;
  readonly symbols: Symbols;
  /** Merged symbols that have an id. */
  readonly withId: ReadonlySet<number>;
}

const roleIds = Object.fromEntries(roleTokens.map((name, id) => [name, id])) as Record<
  RoleToken,
  number
>;

const maxCachedPieces = 20_000;
const maxCachedTexts = 5000;
const maxCachedLength = 512;

export function createTokenizer({ pieces, symbols, withId }: TokenizerParts): Tokenizer {
  const { tokens, idsOf } = assignIds(symbols, withId);
  const encodePiece = createCache(maxCachedPieces, (piece) =>
    applyMerges(symbols, symbols.spell(piece)).flatMap((symbol) => idsOf[symbol]!),
  );
  const encodeText = (text: string): readonly number[] =>
    splitPieces(text.toWellFormed(), pieces).flatMap(encodePiece);
  // Caches encodings, because messages of games repeat.
  const texts = createCache(maxCachedTexts, encodeText);

  return {
    vocabularySize: tokens.length,
    tokens,
    roleIds,
    encode: (text) => [...texts(text)],
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
        if (token === undefined) throw unknownToken(id, tokens.length);
        text += decodeNibbles(nibbles) + token;
        nibbles = [];
      }
      return text + decodeNibbles(nibbles);
    },
    toJSON: () => ({
      format: "envs-tokenizer",
      version: 1,
      pieces,
      characters: symbols.texts.slice(specialTokens.length, symbols.firstMerged),
      merges: symbols.merges.map(([left, right]) => [left, right]),
      tokens: [...withId].toSorted((a, b) => a - b),
    }),
  };
}

/** Creates a cache of the ids of up to `capacity` texts, except long ones. */
function createCache(
  capacity: number,
  encode: (text: string) => readonly number[],
): (text: string) => readonly number[] {
  const cache = new Map<string, readonly number[]>();
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const ids = encode(text);
    if (text.length > maxCachedLength) return ids;
    if (cache.size >= capacity) cache.clear();
    cache.set(text, ids);
    return ids;
  };
}

/** Special tokens and characters always have an id; merged symbols without an id are encoded as their parts. */
function assignIds(symbols: Symbols, withId: ReadonlySet<number>) {
  const tokens: string[] = [];
  const idsOf: (readonly number[])[] = [];
  for (const [symbol, text] of symbols.texts.entries()) {
    if (symbol < symbols.firstMerged || withId.has(symbol)) {
      idsOf.push([tokens.push(text) - 1]);
    } else {
      idsOf.push(symbols.parts(symbol).flatMap((part) => idsOf[part]!));
    }
  }
  return { tokens, idsOf };
}

function unknownToken(id: number, vocabularySize: number): ConfigError {
  return new ConfigError(
    `Unknown token ${id}: the tokenizer has the ids 0 to ${vocabularySize - 1}. Decode ids with the tokenizer that encoded them.`,
  );
}
