import { didYouMean } from "./did-you-mean.ts";
import { errorAt, type Token, tokenText } from "./tokens.ts";

/** A field that an expression can name. A text field with `values` is compared only with these. */
export type Field =
  | { readonly type: "number" }
  | { readonly type: "text"; readonly values?: readonly string[] };

/** The fields by name, in the order in which error messages list them. */
export type Fields = ReadonlyMap<string, Field>;

/** Fields with these names, which may repeat. Those with a list of values contain text, the others numbers. */
export function createFields(
  names: readonly string[],
  texts: Readonly<Record<string, readonly string[]>>,
): Fields {
  return new Map(
    names.map((name): [string, Field] => {
      const values = Object.hasOwn(texts, name) ? texts[name] : undefined;
      return [name, values === undefined ? { type: "number" } : { type: "text", values }];
    }),
  );
}

/** A row's value of a field; `null` and `undefined` for a missing value. */
export type FieldValue = number | string | null | undefined;

type ValueOf = (name: string) => FieldValue;

/** One side of a comparison. A `word` is a name without a field: a text without quotes, or a mistake. */
export type Operand =
  | { readonly kind: "field"; readonly field: Field; readonly token: Token }
  | { readonly kind: "number" | "text" | "word"; readonly token: Token };

export interface Comparison {
  readonly source: string;
  readonly operator: Token;
  readonly left: Operand;
  readonly right: Operand;
  readonly fields: Fields;
}

/** Classifies a token as an operand. */
export function readOperand(token: Token, fields: Fields): Operand {
  if (token.type === "number" || token.type === "text") return { kind: token.type, token };
  const field = fields.get(token.text);
  return field === undefined ? { kind: "word", token } : { kind: "field", field, token };
}

/** Compiles a comparison. Throws a `WhereError` if the operands have different types. */
export function compare(comparison: Comparison): (valueOf: ValueOf) => boolean {
  const { left, right, operator, source } = comparison;
  const isText = typeOf(left, right) === "text" || typeOf(right, left) === "text";
  const leftValue = operandReader(left, right, { ...comparison, isText });
  const rightValue = operandReader(right, left, { ...comparison, isText });
  if (isText && operator.text !== "==" && operator.text !== "!=")
    throw errorAt(source, operator.offset, `Texts support only == and !=, not ${operator.text}.`);
  const holds = comparators[operator.text]!;
  return (valueOf) => {
    const [first, second] = [leftValue(valueOf), rightValue(valueOf)];
    return isComparable(first) && isComparable(second) && holds(first, second);
  };
}

type Comparable = number | string;

const comparators: Readonly<Record<string, (left: Comparable, right: Comparable) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
};

function isComparable(value: FieldValue): value is Comparable {
  return typeof value === "string" || (typeof value === "number" && !Number.isNaN(value));
}

/** A word compared with a text field is a text: `status == failed` needs no quotes. */
function typeOf(operand: Operand, other: Operand): "number" | "text" {
  if (operand.kind === "field") return operand.field.type;
  if (operand.kind === "word")
    return other.kind === "field" && other.field.type === "text" ? "text" : "number";
  return operand.kind;
}

/** `truncated == true` compares with 1. */
const booleans: ReadonlyMap<string, number> = new Map([
  ["true", 1],
  ["false", 0],
]);

function operandReader(
  operand: Operand,
  other: Operand,
  { source, fields, isText }: Comparison & { readonly isText: boolean },
): (valueOf: ValueOf) => FieldValue {
  const { token } = operand;
  if (operand.kind === "word" && typeOf(operand, other) === "number") {
    const boolean = booleans.get(token.text.toLowerCase());
    if (boolean !== undefined && !isText) return () => boolean;
    if (boolean === undefined) throw unknownField(source, token, fields);
  }
  if (isText !== (typeOf(operand, other) === "text"))
    throw errorAt(
      source,
      token.offset,
      `Cannot compare the number ${tokenText(token)} with the text ${tokenText(other.token)}.`,
    );
  if (operand.kind === "field") return (valueOf) => valueOf(token.text);
  if (!isText) {
    const value = Number(token.text);
    return () => value;
  }
  checkValue(source, token, other);
  return () => token.text;
}

function checkValue(source: string, token: Token, other: Operand): void {
  if (other.kind !== "field" || other.field.type !== "text") return;
  const { values } = other.field;
  if (values === undefined || values.includes(token.text)) return;
  const known = values.length === 0 ? "It has no values here." : `Values: ${values.join(", ")}.`;
  throw errorAt(
    source,
    token.offset,
    `${tokenText(other.token)} has no value ${tokenText(token)}.${didYouMean(token.text, values)} ${known}`,
  );
}

function unknownField(source: string, token: Token, fields: Fields): Error {
  const names = [...fields.keys()];
  return errorAt(
    source,
    token.offset,
    `Unknown field ${tokenText(token)}.${didYouMean(token.text, names)} Fields: ${names.join(", ")}.`,
  );
}
