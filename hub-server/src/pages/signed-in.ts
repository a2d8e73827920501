import type { FastifyReply, FastifyRequest } from "fastify";

import type { Session } from "../identity/sessions/sessions.ts";
import { formVisitor, type Visitor, visitorOf } from "../identity/sessions/visitor.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { signInNeeded } from "./fields.ts";

/** A visitor who is signed in, with all that it takes. */
export type SignedIn = Visitor & { readonly session: Session };

/** Who visits a page that is for users; others are sent to sign in, and come back. */
export async function signedIn(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn> {
  return whole(await visitorOf(hub, request, reply), request.url);
}

/** The same for a form. */
export async function signedInForm(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn> {
  return whole(await formVisitor(hub, request, reply), "/settings");
}

function whole(visitor: Visitor, next: string): SignedIn {
  const { session } = visitor;
  if (session !== undefined && !session.waitsForCode) return { ...visitor, session };
  throw new HubError(signInNeeded, { message: "Sign in first.", details: { next } });
}
