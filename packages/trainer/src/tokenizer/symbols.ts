import { nibblesOf, specialTokens } from "./special-tokens.ts";

/** Two symbols that stand next to each other become one. Rules of a lower rank go first. */
export interface Rule {
  readonly rank: number;
  readonly result: number;
}

/** No token is longer: it bounds what a hostile tokenizer file can make of a few bytes. */
const longestToken = 4096;

/** The most symbols that a tokenizer works with; also what makes a pair of them one safe integer. */
export const mostSymbols = 2 ** 20;

/**
 * What merging works on: the special tokens, then the characters of the alphabet, then one symbol for every text that a
 * merge makes. Which of them get an id is another question.
 */
export class Symbols {
  readonly texts: string[];
  /** The pairs that merge, by rank. */
  readonly merges: (readonly [left: number, right: number])[] = [];
  readonly firstMerged: number;
  readonly #parts = new Map<number, readonly [left: number, right: number]>();
  readonly #rules = new Map<number, Rule>();
  readonly #byText: Map<string, number>;

  constructor(characters: readonly string[]) {
    this.texts = [...specialTokens, ...characters];
    this.firstMerged = this.texts.length;
    this.#byText = new Map(
      characters.map((character, index) => [character, specialTokens.length + index]),
    );
  }

  rule(left: number, right: number): Rule | undefined {
    return this.#rules.get(pairKey(left, right));
  }

  /** The pair that first made a merged symbol. */
  parts(symbol: number): readonly [left: number, right: number] {
    return this.#parts.get(symbol)!;
  }

  /** Adds a rule, unless there is one, and returns the symbol that it makes: two ways to the same text make one symbol. */
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

  /** A text as unmerged symbols: its characters, those outside the alphabet as nibbles. */
  spell(text: string): number[] {
    const symbols: number[] = [];
    for (const character of text) {
      const known = this.#byText.get(character);
      if (known === undefined) symbols.push(...nibblesOf(character));
      else symbols.push(known);
    }
    return symbols;
  }
}

/** Special tokens stay as they are; everything else may merge, up to the longest token. */
export function canMerge(symbols: Symbols, left: number, right: number): boolean {
  return (
    left >= specialTokens.length &&
    right >= specialTokens.length &&
    symbols.texts[left]!.length + symbols.texts[right]!.length <= longestToken
  );
}

/** One number for a pair of symbols. */
export function pairKey(left: number, right: number): number {
  return left * mostSymbols + right;
}
