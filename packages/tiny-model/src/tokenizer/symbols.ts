import { encodeNibbles, specialTokens } from "./special-tokens.ts";

/** Merges two adjacent symbols into `result`. Rules of a lower rank are applied first. */
export interface MergeRule {
  readonly rank: number;
  readonly result: number;
}

/** Maximum length of a token. It limits the memory that a malicious tokenizer file can claim. */
const maxTokenLength = 4096;

/** Maximum number of symbols; it makes {@link pairKey} a safe integer. */
export const maxSymbols = 2 ** 20;

/**
 * The symbols of byte-pair encoding: the special tokens, then the characters of the alphabet, then one symbol for each
 * text that a merge produces. Only some of them become tokens with an id.
 */
export class Symbols {
  readonly texts: string[];
  /** The pairs of the merge rules, by rank. */
  readonly merges: (readonly [left: number, right: number])[] = [];
  readonly firstMerged: number;
  readonly #parts = new Map<number, readonly [left: number, right: number]>();
  readonly #rules = new Map<number, MergeRule>();
  readonly #byText: Map<string, number>;

  constructor(characters: readonly string[]) {
    this.texts = [...specialTokens, ...characters];
    this.firstMerged = this.texts.length;
    this.#byText = new Map(
      characters.map((character, index) => [character, specialTokens.length + index]),
    );
  }

  rule(left: number, right: number): MergeRule | undefined {
    return this.#rules.get(pairKey(left, right));
  }

  /** The pair whose merge created a symbol. */
  parts(symbol: number): readonly [left: number, right: number] {
    return this.#parts.get(symbol)!;
  }

  /** Adds a rule if it does not exist, and returns its result. Merges that produce the same text share one symbol. */
  merge(left: number, right: number): number {
    const known = this.rule(left, right);
    if (known !== undefined) return known.result;
    const text = this.texts[left]! + this.texts[right]!;
    let result = this.#byText.get(text);
    if (result === undefined) {
      result = this.texts.push(text) - 1;
      this.#byText.set(text, result);
      this.#parts.set(result, [left, right]);
    }
    this.#rules.set(pairKey(left, right), { rank: this.merges.length, result });
    this.merges.push([left, right]);
    return result;
  }

  /** Splits a text into characters; characters outside the alphabet become nibbles. */
  spell(text: string): number[] {
    const symbols: number[] = [];
    for (const character of text) {
      const known = this.#byText.get(character);
      if (known === undefined) symbols.push(...encodeNibbles(character));
      else symbols.push(known);
    }
    return symbols;
  }
}

/** Special tokens never merge, and no merge exceeds the maximum length of a token. */
export function canMerge(symbols: Symbols, left: number, right: number): boolean {
  return (
    left >= specialTokens.length &&
    right >= specialTokens.length &&
    symbols.texts[left]!.length + symbols.texts[right]!.length <= maxTokenLength
  );
}

export function pairKey(left: number, right: number): number {
  return left * maxSymbols + right;
}
