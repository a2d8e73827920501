import type { FastifyRequest } from "fastify";

import { HubError } from "../../platform/errors/hub-error.ts";
import { signInNeeded } from "./require-session.ts";

const maxLength = 10_000;

/** Reads text fields of a submitted form. A field that is missing, too long or contains NUL is empty. */
export function formFields<Name extends string>(
  { body }: FastifyRequest,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const values = (body ?? {}) as Readonly<Record<string, unknown>>;
  const entries = names.map((name) => {
    const value = values[name];
    return [name, isText(value) ? value : ""] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** Whether a field is text that PostgreSQL can store, without NUL. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxLength && !value.includes("\0");
}

/** The message and status of an error that the user can correct in the form. Rethrows other errors. */
export function formProblem(error: unknown): { readonly problem: string; readonly status: number } {
  if (error instanceof HubError && error.code !== signInNeeded)
    return { problem: error.message, status: error.status };
  throw error;
}
