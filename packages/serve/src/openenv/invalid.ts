import type * as z from "zod";

import { shortText } from "../quoted.ts";

type Path = readonly (string | number)[];

/** How much is said of what is wrong: a message of millions of wrong fields has an answer, too. */
const mostParts = 20;

/** One thing that is wrong with a message, in the form in which Python's validators say it. */
export interface InvalidPart {
  /** A permanent word for what is wrong. */
  readonly type: string;
  readonly loc: Path;
  readonly msg: string;
}

/** A message that does not fit its schema. */
export class InvalidError extends Error {
  override readonly name = "InvalidError";
  readonly statusCode = 422;
  readonly parts: readonly InvalidPart[];

  constructor(parts: readonly InvalidPart[]) {
    const told = parts.slice(0, mostParts).map(shortened);
    super(told.map(({ loc, msg }) => [...loc, msg].join(": ")).join("; "));
    this.parts = told;
  }
}

/** Reads a value by a schema. Throws an {@link InvalidError} whose places begin with `at`. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: Path = [],
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new InvalidError(error.issues.flatMap((issue) => partsOf(issue, value, at)));
}

function partsOf(issue: z.core.$ZodIssue, value: unknown, at: Path): readonly InvalidPart[] {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const loc = [...at, ...path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, mostParts).map((key) => ({
      type: "extra_forbidden",
      loc: [...loc, key],
      msg: `There is no field of this name. Leave it out.`,
    }));
  if (path.length > 0 && isMissing(path, value))
    return [{ type: "missing", loc, msg: "This field is needed." }];
  return [{ type: types[issue.code] ?? "value_error", loc, msg: issue.message }];
}

function shortened({ type, loc, msg }: InvalidPart): InvalidPart {
  return {
    type,
    loc: loc.map((key) => (typeof key === "string" ? shortText(key) : key)),
    msg: shortText(msg),
  };
}

const types: Readonly<Record<string, string>> = {
  invalid_type: "type_error",
  invalid_value: "literal_error",
};

function isMissing(path: Path, value: unknown): boolean {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, key)) return true;
    inner = (inner as Readonly<Record<string | number, unknown>>)[key];
  }
  return false;
}
