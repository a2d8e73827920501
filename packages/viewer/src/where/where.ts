import { compare, type Fields, type FieldValue, readOperand } from "./comparison.ts";
import { errorAt, type Token, tokenize, tokenText } from "./tokens.ts";

export { createFields } from "./comparison.ts";
export type { Field, Fields, FieldValue } from "./comparison.ts";

/** Whether a row matches an expression. */
export type Predicate = (valueOf: (name: string) => FieldValue) => boolean;

interface ParserState {
  readonly source: string;
  readonly fields: Fields;
  readonly tokens: readonly Token[];
  /** The index of the next token. */
  index: number;
  /** The number of open parentheses. */
  depth: number;
}

const maxDepth = 100;
const comparisonOperators = ["<", "<=", ">", ">=", "==", "!="];

/**
 * Parses an expression such as `win > 0 && (format == 1 || truncated == true)`: comparisons of names, numbers and texts
 * with < <= > >= == !=, combined with &&, || and parentheses. A missing value matches no comparison. Throws a
 * `WhereError` that points at the mistake. Runs in linear time.
 */
export function parseWhere(source: string, fields: Fields): Predicate {
  const state = startState(source, fields);
  const predicate = parseOr(state);
  if (peek(state).type !== "end") throw syntaxError(state, "&&, || or the end of the expression");
  return predicate;
}

/** An operand of a top-level `&&`. */
export interface Clause {
  readonly text: string;
  readonly matches: Predicate;
}

/** Parses an expression like {@link parseWhere}, and splits it at top-level `&&`. Returns no clauses for an empty expression. */
export function parseClauses(source: string | undefined, fields: Fields): readonly Clause[] {
  if (source === undefined || source.trim() === "") return [];
  const matches = parseWhere(source, fields);
  const state = startState(source, fields);
  const clauses: Clause[] = [];
  do {
    const start = peek(state).offset;
    const clause = parseComparison(state);
    clauses.push({ text: source.slice(start, peek(state).offset).trim(), matches: clause });
  } while (accept(state, "&&"));
  return peek(state).type === "end" ? clauses : [{ text: source.trim(), matches }];
}

function startState(source: string, fields: Fields): ParserState {
  return { source, fields, tokens: tokenize(source), index: 0, depth: 0 };
}

function parseOr(state: ParserState): Predicate {
  const operands = [parseAnd(state)];
  while (accept(state, "||")) operands.push(parseAnd(state));
  if (operands.length === 1) return operands[0]!;
  return (valueOf) => operands.some((matches) => matches(valueOf));
}

function parseAnd(state: ParserState): Predicate {
  const operands = [parseComparison(state)];
  while (accept(state, "&&")) operands.push(parseComparison(state));
  if (operands.length === 1) return operands[0]!;
  return (valueOf) => operands.every((matches) => matches(valueOf));
}

function parseComparison(state: ParserState): Predicate {
  const { source, fields } = state;
  if (peek(state).text === "(" && peek(state).type === "operator") return parseParentheses(state);
  const left = parseOperand(state, "a comparison such as reward > 0");
  const operator = peek(state);
  if (operator.type !== "operator" || !comparisonOperators.includes(operator.text))
    throw syntaxError(state, `one of ${comparisonOperators.join(" ")} after ${tokenText(left)}`);
  state.index += 1;
  const right = parseOperand(state, `a value to compare with ${tokenText(left)}`);
  return compare({
    source,
    operator,
    left: readOperand(left, fields),
    right: readOperand(right, fields),
    fields,
  });
}

function parseParentheses(state: ParserState): Predicate {
  if (state.depth === maxDepth)
    throw errorAt(
      state.source,
      peek(state).offset,
      `Parentheses are nested more than ${maxDepth} levels deep.`,
    );
  state.index += 1;
  state.depth += 1;
  const predicate = parseOr(state);
  if (!accept(state, ")")) throw syntaxError(state, "&&, || or )");
  state.depth -= 1;
  return predicate;
}

function parseOperand(state: ParserState, expected: string): Token {
  const token = peek(state);
  if (token.type === "operator" || token.type === "end") throw syntaxError(state, expected);
  state.index += 1;
  return token;
}

function accept(state: ParserState, operator: string): boolean {
  const token = peek(state);
  if (token.type !== "operator" || token.text !== operator) return false;
  state.index += 1;
  return true;
}

function peek({ tokens, index }: ParserState): Token {
  return tokens[index]!;
}

const operatorWords: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["is", "=="],
  ["not", "!="],
]);

function syntaxError(state: ParserState, expected: string): Error {
  const token = peek(state);
  const operator = token.type === "name" ? operatorWords.get(token.text.toLowerCase()) : undefined;
  const actual = token.type === "end" ? "the end of the expression" : tokenText(token);
  const hint = operator === undefined ? "" : ` Write ${operator}.`;
  return errorAt(state.source, token.offset, `Expected ${expected}, found ${actual}.${hint}`);
}
