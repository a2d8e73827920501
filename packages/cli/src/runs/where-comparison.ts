import { didYouMean } from "@envs/terminal";

import { problemAt, shown, type Token } from "./where-tokens.ts";

/** Something an expression may name. A text may have known values: another one is then a mistake. */
export type Field =
  | { readonly type: "number" }
  | { readonly type: "text"; readonly values?: readonly string[] };

/** What an expression may name, in the order in which messages list it. */
export type Fields = ReadonlyMap<string, Field>;

/** What a field is for one row; `null` and `undefined` if the row has none. */
export type FieldValue = number | string | null | undefined;

type ValueOf = (name: string) => FieldValue;

/** One side of a comparison. A word is a name that no field has: a text, or a mistake. */
export type Operand =
  | { readonly kind: "field"; readonly field: Field; readonly token: Token }
  | { readonly kind: "number" | "text" | "word"; readonly token: Token };

export interface Comparison {
  readonly source: string;
  readonly sign: Token;
  readonly left: Operand;
  readonly right: Operand;
  readonly fields: Fields;
}

/** Finds out what a token stands for. */
export function readOperand(token: Token, fields: Fields): Operand {
  if (token.type === "number" || token.type === "text") return { kind: token.type, token };
  const field = fields.get(token.text);
  return field === undefined ? { kind: "word", token } : { kind: "field", field, token };
}

/** Makes a comparison, once both sides are of one type. */
export function compare(comparison: Comparison): (valueOf: ValueOf) => boolean {
  const { left, right, sign, source } = comparison;
  const isText = typeOf(left, right) === "text" || typeOf(right, left) === "text";
  const one = reader(left, right, { ...comparison, isText });
  const other = reader(right, left, { ...comparison, isText });
  if (isText && sign.text !== "==" && sign.text !== "!=")
    throw problemAt(source, sign.at, `Texts have no order: compare them with == or !=.`);
  const holds = tests[sign.text]!;
  return (valueOf) => {
    const [first, second] = [one(valueOf), other(valueOf)];
    if (!isGiven(first) || !isGiven(second)) return false;
    return holds(first, second);
  };
}

type Given = number | string;

const tests: Readonly<Record<string, (left: Given, right: Given) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
};

function isGiven(value: FieldValue): value is Given {
  return typeof value === "string" || (typeof value === "number" && !Number.isNaN(value));
}

/** A bare word beside a text field is a text: `status == failed` needs no quotes. */
function typeOf(operand: Operand, beside: Operand): "number" | "text" {
  if (operand.kind === "field") return operand.field.type;
  if (operand.kind === "word")
    return beside.kind === "field" && beside.field.type === "text" ? "text" : "number";
  return operand.kind;
}

const truths: ReadonlyMap<string, number> = new Map([
  ["true", 1],
  ["false", 0],
]);

function reader(
  operand: Operand,
  beside: Operand,
  { source, fields, isText }: Comparison & { readonly isText: boolean },
): (valueOf: ValueOf) => FieldValue {
  const { token } = operand;
  if (operand.kind === "word" && typeOf(operand, beside) === "number") {
    const truth = truths.get(token.text.toLowerCase());
    if (truth !== undefined && !isText) return () => truth;
    if (truth === undefined) throw unknownName(source, token, fields);
  }
  if (isText !== (typeOf(operand, beside) === "text"))
    throw problemAt(
      source,
      token.at,
      `${shown(token)} is a number, ${shown(beside.token)} is a text: they cannot be compared.`,
    );
  if (operand.kind === "field") return (valueOf) => valueOf(token.text);
  if (!isText) {
    const value = Number(token.text);
    return () => value;
  }
  checkValue(source, token, beside);
  return () => token.text;
}

function checkValue(source: string, token: Token, beside: Operand): void {
  if (beside.kind !== "field" || beside.field.type !== "text") return;
  const { values } = beside.field;
  if (values === undefined || values.includes(token.text)) return;
  const known = values.length === 0 ? "It has no value here." : `It can be: ${values.join(", ")}.`;
  throw problemAt(
    source,
    token.at,
    `${shown(beside.token)} is never ${shown(token)}.${didYouMean(token.text, values)} ${known}`,
  );
}

function unknownName(source: string, token: Token, fields: Fields): Error {
  const names = [...fields.keys()];
  return problemAt(
    source,
    token.at,
    `There is no name ${shown(token)}.${didYouMean(token.text, names)} Names: ${names.join(", ")}.`,
  );
}
