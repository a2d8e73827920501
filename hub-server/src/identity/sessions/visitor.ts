import { createHmac, timingSafeEqual } from "node:crypto";

import type { FastifyReply, FastifyRequest } from "fastify";

import { HubError } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";
import { identifyBySession } from "../request/identity.ts";
import { type Session, sessionOf } from "./sessions.ts";

/** A browser that requests a page, signed in or not. */
export interface Visitor {
  readonly session: Session | undefined;
  /** A CSRF token in every form of this browser's pages. */
  readonly formToken: string;
  /** The hash of the browser's secret, which a sign-in at another site must return to. */
  readonly browserHash: string;
  readonly request: FastifyRequest;
}

const month = 30 * 24 * 3600;

/**
 * Identifies the browser by its cookie, so that `identify` returns the user of its session. A new browser gets a cookie,
 * which its CSRF tokens are bound to.
 */
export async function visitorOf(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor> {
  const visitor = await browserOf(hub, request, reply);
  if (request.method === "GET" || request.method === "HEAD") identifyUser(visitor);
  return visitor;
}

/** Identifies the signed-in user of a page that others may read, too. Others get no cookie: their pages are cached. */
export async function userOf(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor | undefined> {
  if (request.cookies[cookieName(hub, request)] === undefined) return undefined;
  const visitor = await visitorOf(hub, request, reply);
  return visitor.session?.waitsForCode === false ? visitor : undefined;
}

/** A session that waits for the code of the second factor has no permissions yet. */
function identifyUser({ session, request }: Visitor): void {
  if (session?.waitsForCode === false) identifyBySession(request, session.user);
}

async function browserOf(hub: Hub, request: FastifyRequest, reply: FastifyReply): Promise<Visitor> {
  const cookie = request.cookies[cookieName(hub, request)];
  const secret = cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : newSecret();
  if (secret !== cookie) setCookie(hub, { request, reply, secret });
  const session = secret === cookie ? await sessionOf(hub, secret) : undefined;
  return { session, formToken: formTokenOf(secret), browserHash: secretHash(secret), request };
}

/** Identifies the sender of a form. Throws `foreign-form` unless the same browser submits it from a page of this hub. */
export async function formVisitor(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor> {
  const visitor = await browserOf(hub, request, reply);
  const { form } = (request.body ?? {}) as { readonly form?: unknown };
  const isOurs = typeof form === "string" && isSame(form, visitor.formToken);
  if (isOurs && !isFromElsewhere(hub, request)) {
    identifyUser(visitor);
    return visitor;
  }
  throw new HubError("foreign-form", {
    message:
      "The form's token is missing, expired or from another site. Open the page again and submit the form there.",
  });
}

/** Sets the browser's secret: that of a session, or a secret that only binds its forms. */
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

/** With the prefix `__Host-`, browsers reject the cookie from other hosts of the same domain. */
function cookieName(hub: Hub, request: FastifyRequest): string {
  return isSecure(hub, request) ? "__Host-envs-session" : "envs-session";
}

function isSecure({ settings }: Hub, request: FastifyRequest): boolean {
  return originOf(settings, request).startsWith("https:");
}

function formTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("form").digest("base64url");
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Whether a browser sent the form from another origin. Without both headers, the form token decides. */
function isFromElsewhere({ settings }: Hub, request: FastifyRequest): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (typeof site === "string") return site !== "same-origin";
  if (origin === undefined) return false;
  return (
    origin !== originOf(settings, request) && origin !== `${request.protocol}://${request.host}`
  );
}

const anywhere = "http://hub.invalid";

/** Validates a redirect target: a path on this hub, or undefined for any other target. */
export function redirectPath(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > 500 || !text.startsWith("/")) return undefined;
  if (!URL.canParse(text, anywhere)) return undefined;
  const { origin, pathname, search } = new URL(text, anywhere);
  // Browsers treat `/\\host` and `//host` as another host; the URL parser normalizes the first form.
  return origin === anywhere && !pathname.startsWith("//") ? `${pathname}${search}` : undefined;
}
