import { didYouMean } from "./arguments.ts";
import { problemAt, type Token, tokensOf } from "./where-tokens.ts";

/** Something an expression may name. A text may have known values: another one is then a mistake. */
export type Field =
  | { readonly type: "number" }
  | { readonly type: "text"; readonly values?: readonly string[] };

/** What an expression may name, in the order in which messages list it. */
export type Fields = ReadonlyMap<string, Field>;

/** What a field is for one row; `null` and `undefined` if the row has none. */
export type FieldValue = number | string | null | undefined;

/** Tells whether a row is meant. */
export type Where = (valueOf: (name: string) => FieldValue) => boolean;

const maxDepth = 100;

/**
 * Reads an expression such as `win > 0 && (format == 1 || truncated == true)`: comparisons of names, numbers and texts
 * with < <= > >= == !=, joined by && and ||, in parentheses where needed. A row without a value matches no comparison.
 * Throws a `UsageError` that shows where the expression is wrong. Takes time linear in its length.
 */
export function parseWhere(source: string, fields: Fields): Where {
  const reader = new Reader(source, fields);
  const where = reader.either();
  reader.expectEnd();
  return where;
}

type Operand =
  | { readonly type: "number"; readonly value: number; readonly token: Token }
  | { readonly type: "text"; readonly value: string; readonly token: Token }
  | { readonly type: "field"; readonly field: Field; readonly token: Token }
  | { readonly type: "word"; readonly token: Token };

const orders: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

class Reader {
  readonly #source: string;
  readonly #fields: Fields;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(source: string, fields: Fields) {
    this.#source = source;
    this.#fields = fields;
    this.#tokens = tokensOf(source);
  }

  either(): Where {
    const parts = this.#joined(
      "||",
      () => this.#joined("&&", () => this.#comparison(), "every"),
      "some",
    );
    return parts;
  }
}
