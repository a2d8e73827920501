import { readNumber } from "./number.ts";
import { type Rational, compare } from "./rational.ts";

/** An endpoint of an interval. */
export type Bound = Rational | "infinity" | "-infinity";

/** The exact value of an answer. */
export type Value =
  | { readonly kind: "number"; readonly number: Rational }
  | { readonly kind: "percentage"; readonly number: Rational }
  /** Distinct numbers, in ascending order: `\{1, 2\}` or `1, 2`. */
  | { readonly kind: "set"; readonly items: readonly Rational[] }
  | { readonly kind: "tuple"; readonly items: readonly Rational[] }
  | { readonly kind: "interval"; readonly brackets: string; readonly bounds: readonly Bound[] };

/** Reads an answer. `undefined` if it has any part that this module does not know. */
export function readValue(text: string): Value | undefined {
  const number = readNumber(text);
  if (number !== undefined) return { kind: "number", number };
  const percent = /^(?<number>.*[0-9])\\?%$/.exec(text)?.groups?.["number"];
  if (percent !== undefined) {
    const value = readNumber(percent);
    return value && { kind: "percentage", number: value };
  }
  return readBracketed(text) ?? readSet(text);
}

function readBracketed(text: string): Value | undefined {
  const brackets = `${text[0]}${text.at(-1)}`;
  if (!/^[[(][\])]$/.test(brackets)) return undefined;
  const parts = partsOf(text.slice(1, -1));
  if (parts?.length !== 2) {
    const items = brackets === "()" ? numbersOf(parts) : undefined;
    return items && { kind: "tuple", items };
  }
  const [start, end] = parts.map(readBound);
  if (start === undefined || end === undefined || !isBefore(start, end)) return undefined;
  return { kind: "interval", brackets, bounds: [start, end] };
}

function readSet(text: string): Value | undefined {
  const inner = /^\\\{(?<inner>.*)\\\}$/.exec(text)?.groups?.["inner"];
  const parts = partsOf(inner ?? text);
  if (inner === undefined && (parts?.length ?? 0) < 2) return undefined;
  const items = numbersOf(parts)?.toSorted(compare);
  const isDistinct = items?.every((item, index) => index === 0 || compare(item, items[index - 1]!));
  return items && isDistinct ? { kind: "set", items } : undefined;
}

/** Splits at commas. `undefined` if a comma could be a thousands separator, as in `(1,200)`. */
function partsOf(text: string): readonly string[] | undefined {
  if (/[0-9](?:,|\{,\})\s*[0-9]{3}(?![0-9])/.test(text)) return undefined;
  return text.split(",").map((part) => part.trim());
}

function numbersOf(parts: readonly string[] | undefined): readonly Rational[] | undefined {
  if (parts === undefined || parts.length === 0) return undefined;
  const numbers = parts.map(readNumber).filter((item) => item !== undefined);
  return numbers.length === parts.length ? numbers : undefined;
}

function readBound(text: string): Bound | undefined {
  if (/^\+?\\infty$/.test(text)) return "infinity";
  return /^-\s?\\infty$/.test(text) ? "-infinity" : readNumber(text);
}

function isBefore(start: Bound, end: Bound): boolean {
  if (start === "infinity" || end === "-infinity" || start === end) return false;
  if (start === "-infinity" || end === "infinity") return true;
  return compare(start, end) < 0;
}
