import type { FastifyRequest } from "fastify";

import { HubError } from "../platform/errors/hub-error.ts";

/** The fields of a form as texts; one that is not there is empty. */
export function fieldsOf<Name extends string>(
  { body }: FastifyRequest,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>;
  const entries = names.map((name) => {
    const value = given[name];
    return [name, typeof value === "string" && value.length <= 1000 ? value : ""] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** What a person can correct in a form: its message and status. Anything else is thrown on. */
export function problemOf(error: unknown): { readonly problem: string; readonly status: number } {
  if (error instanceof HubError && error.code !== signInNeeded)
    return { problem: error.message, status: error.status };
  throw error;
}

/** The code of the error that sends a browser to sign in. */
export const signInNeeded = "sign-in-needed";
