import type { FastifyReply, FastifyRequest } from "fastify";

import type { Session } from "../../identity/sessions/sessions.ts";
import { formVisitor, type Visitor, visitorOf } from "../../identity/sessions/visitor.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** The code of the error that redirects a browser to the sign-in page. */
export const signInNeeded = "sign-in-needed";

/** A visitor who has completed every step of signing in. */
export type SignedInVisitor = Visitor & { readonly session: Session };

/** Returns the signed-in visitor of a page. Others are redirected to sign in and then back to this page. */
export async function requireSession(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedInVisitor> {
  return withSession(await visitorOf(hub, request, reply), request.url);
}

/** Returns the signed-in sender of a form. Others are redirected to sign in and then to `page`. */
export async function requireSessionForm(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  page = "/settings",
): Promise<SignedInVisitor> {
  return withSession(await formVisitor(hub, request, reply), page);
}

function withSession(visitor: Visitor, next: string): SignedInVisitor {
  const { session } = visitor;
  if (session !== undefined && !session.waitsForCode) return { ...visitor, session };
  throw new HubError(signInNeeded, { message: "Sign in first.", details: { next } });
}

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
