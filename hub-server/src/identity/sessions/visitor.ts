import { createHmac, timingSafeEqual } from "node:crypto";

import type { FastifyReply, FastifyRequest } from "fastify";

import { HubError } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { newSecret } from "../credentials/secret.ts";
import { type Session, sessionOf } from "./sessions.ts";

/** A browser on one of the hub's pages, signed in or not. */
export interface Visitor {
  readonly session: Session | undefined;
  /** Stands in each form of this browser's pages; no other site can know it. */
  readonly formToken: string;
  readonly request: FastifyRequest;
}

const month = 30 * 24 * 3600;

/** Who visits a page. A browser that was never here gets a cookie, which its forms are bound to. */
export async function visitorOf(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor> {
  const given = request.cookies[cookieName(hub, request)];
  const secret = given !== undefined && /^[\w-]{43}$/.test(given) ? given : newSecret();
  if (secret !== given) setCookie(hub, { request, reply, secret });
  const session = secret === given ? await sessionOf(hub, secret) : undefined;
  return { session, formToken: formTokenOf(secret), request };
}

/** The visitor who sends a form: from one of this hub's pages, in this browser. */
export async function formVisitor(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor> {
  const visitor = await visitorOf(hub, request, reply);
  const { form } = (request.body ?? {}) as { readonly form?: unknown };
  const isOurs = typeof form === "string" && isSame(form, visitor.formToken);
  if (isOurs && !isFromElsewhere(hub, request)) return visitor;
  throw new HubError("foreign-form", {
    message:
      "This form was not sent from this hub's page in this browser, or it has been open for too long. Open the page again and send it from there.",
  });
}

/** Gives a browser a secret: a session's, or, without a session, one that its forms are bound to. */
export function setCookie(
  hub: Hub,
  {
    request,
    reply,
    secret,
    isSession = false,
  }: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly secret: string;
    readonly isSession?: boolean;
  },
): void {
  void reply.setCookie(cookieName(hub, request), secret, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(hub, request),
    ...(isSession && { maxAge: month }),
  });
}

/** The prefix makes browsers refuse the cookie from other hosts of the same domain. */
function cookieName(hub: Hub, request: FastifyRequest): string {
  return isSecure(hub, request) ? "__Host-envs-session" : "envs-session";
}

function isSecure({ settings }: Hub, request: FastifyRequest): boolean {
  return originOf(settings, request).startsWith("https:");
}

function formTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("form").digest("base64url");
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Browsers say where a form comes from. What says nothing is no browser, and has the form's token from the page. */
function isFromElsewhere({ settings }: Hub, request: FastifyRequest): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (typeof site === "string") return site !== "same-origin";
  if (origin === undefined) return false;
  return (
    origin !== originOf(settings, request) && origin !== `${request.protocol}://${request.host}`
  );
}
