import type * as z from "zod";

import { truncate } from "../errors.ts";

type Path = readonly (string | number)[];

/** The maximum number of issues in a response, for messages with millions of invalid fields. */
const maxIssues = 20;

/** One problem of a message, in the form of Python's validators. */
export interface ValidationIssue {
  /** A permanent code, such as `missing`. */
  readonly type: string;
  readonly loc: Path;
  readonly msg: string;
}

/** A message that does not fit its schema. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly statusCode = 422;
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    const reported = issues.slice(0, maxIssues).map(truncateIssue);
    super(reported.map(({ loc, msg }) => [...loc, msg].join(": ")).join("; "));
    this.issues = reported;
  }
}

/** Parses a value with a schema. Throws a {@link ValidationError} whose paths begin with `path`. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: Path = [],
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new ValidationError(error.issues.flatMap((issue) => issuesOf(issue, value, path)));
}

function issuesOf(
  issue: z.core.$ZodIssue,
  value: unknown,
  prefix: Path,
): readonly ValidationIssue[] {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const loc = [...prefix, ...path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, maxIssues).map((key) => ({
      type: "extra_forbidden",
      loc: [...loc, key],
      msg: "This field does not exist. Leave it out.",
    }));
  if (path.length > 0 && isMissing(path, value))
    return [{ type: "missing", loc, msg: "This field is required." }];
  return [{ type: typeByCode[issue.code] ?? "value_error", loc, msg: issue.message }];
}

function truncateIssue({ type, loc, msg }: ValidationIssue): ValidationIssue {
  return {
    type,
    loc: loc.map((key) => (typeof key === "string" ? truncate(key) : key)),
    msg: truncate(msg),
  };
}

const typeByCode: Readonly<Record<string, string>> = {
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
