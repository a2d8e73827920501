import { compare, type Fields, type FieldValue, readOperand } from "./where-comparison.ts";
import { problemAt, shown, type Token, tokensOf } from "./where-tokens.ts";

export type { Field, Fields, FieldValue } from "./where-comparison.ts";

/** Tells whether a row is meant. */
export type Where = (valueOf: (name: string) => FieldValue) => boolean;

/** An expression while it is read. */
interface Reading {
  readonly source: string;
  readonly fields: Fields;
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

const maxDepth = 100;
const comparisons = ["<", "<=", ">", ">=", "==", "!="];

/**
 * Reads an expression such as `win > 0 && (format == 1 || truncated == true)`: comparisons of names, numbers and texts
 * with < <= > >= == !=, joined by && and ||, in parentheses where needed. A row without a value matches no comparison.
 * Throws a `UsageError` that shows where the expression is wrong. Takes time linear in its length.
 */
export function parseWhere(source: string, fields: Fields): Where {
  const reading: Reading = { source, fields, tokens: tokensOf(source), at: 0, depth: 0 };
  const where = either(reading);
  if (peek(reading).type !== "end") throw expected(reading, "&&, || or the end");
  return where;
}

/** A part of an expression that `&&` joins to others. */
export interface Clause {
  readonly text: string;
  readonly holds: Where;
}

/** Reads an expression as {@link parseWhere} does, in the parts that all have to hold. */
export function parseClauses(source: string, fields: Fields): readonly Clause[] {
  const holds = parseWhere(source, fields);
  const reading: Reading = { source, fields, tokens: tokensOf(source), at: 0, depth: 0 };
  const clauses: Clause[] = [];
  do {
    const start = peek(reading).at;
    const part = comparison(reading);
    clauses.push({ text: source.slice(start, peek(reading).at).trim(), holds: part });
  } while (take(reading, "&&"));
  return peek(reading).type === "end" ? clauses : [{ text: source.trim(), holds }];
}

function either(reading: Reading): Where {
  const parts = [both(reading)];
  while (take(reading, "||")) parts.push(both(reading));
  return parts.length === 1 ? parts[0]! : (valueOf) => parts.some((part) => part(valueOf));
}

function both(reading: Reading): Where {
  const parts = [comparison(reading)];
  while (take(reading, "&&")) parts.push(comparison(reading));
  return parts.length === 1 ? parts[0]! : (valueOf) => parts.every((part) => part(valueOf));
}

function comparison(reading: Reading): Where {
  const { source, fields } = reading;
  if (peek(reading).text === "(" && peek(reading).type === "sign") return parenthesis(reading);
  const left = operand(reading, "a comparison such as reward > 0");
  const sign = peek(reading);
  if (sign.type !== "sign" || !comparisons.includes(sign.text))
    throw expected(reading, `one of ${comparisons.join(" ")} after ${shown(left)}`);
  reading.at += 1;
  const right = operand(reading, `something to compare ${shown(left)} with`);
  const [one, other] = [readOperand(left, fields), readOperand(right, fields)];
  return compare({ source, sign, left: one, right: other, fields });
}

function parenthesis(reading: Reading): Where {
  const opening = peek(reading);
  if (reading.depth === maxDepth)
    throw problemAt(reading.source, opening.at, `Parentheses nest deeper than ${maxDepth}.`);
  reading.at += 1;
  reading.depth += 1;
  const inner = either(reading);
  if (!take(reading, ")")) throw expected(reading, "&&, || or )");
  reading.depth -= 1;
  return inner;
}

function operand(reading: Reading, what: string): Token {
  const token = peek(reading);
  if (token.type === "sign" || token.type === "end") throw expected(reading, what);
  reading.at += 1;
  return token;
}

function take(reading: Reading, sign: string): boolean {
  const token = peek(reading);
  if (token.type !== "sign" || token.text !== sign) return false;
  reading.at += 1;
  return true;
}

function peek({ tokens, at }: Reading): Token {
  return tokens[at]!;
}

const words: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["is", "=="],
  ["not", "!="],
]);

function expected(reading: Reading, what: string): Error {
  const found = peek(reading);
  const { type, text, at } = found;
  const meant = type === "name" ? words.get(text.toLowerCase()) : undefined;
  const start = type === "end" ? "The expression ends here" : `Here is ${shown(found)}`;
  const hint = meant === undefined ? "" : ` Write ${meant}.`;
  return problemAt(reading.source, at, `${start}; it needs ${what}.${hint}`);
}
