import { BlockList, isIP } from "node:net";

import type { FastifyRequest } from "fastify";

import { HubError, unauthorized } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isToken, secretHash } from "../credentials/secret.ts";
import { requireTerms } from "../credentials/terms.ts";

/** The user who makes a request, and the limits of the token. */
export interface Identity {
  readonly userId: number;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly hasSecondFactor: boolean;
  readonly token: {
    readonly id: string;
    readonly purpose: "user" | "trusted-publisher";
    readonly readonly: boolean;
    readonly bypassesSecondFactor: boolean;
    /** Null if the token is not limited to packages or scopes. */
    readonly packages: readonly string[] | null;
    readonly scopes: readonly string[] | null;
    /** The permissions of a trusted publisher's token; null for a user's token. */
    readonly permissions: readonly string[] | null;
  };
}

/** The users of page requests, whose sessions were checked. */
const sessionIdentities = new WeakMap<FastifyRequest, Identity>();

/** Makes {@link identify} return the user of a browser's session, who has no token. */
export function identifyBySession(
  request: FastifyRequest,
  user: Parameters<typeof identityWithoutToken>[0],
): void {
  sessionIdentities.set(request, identityWithoutToken(user));
}

/** The identity of a user without a token: of a browser's session, or of the hub itself. */
export function identityWithoutToken({
  id,
  name,
  isAdmin,
  hasSecondFactor,
}: { readonly id: number } & Pick<Identity, "name" | "isAdmin" | "hasSecondFactor">): Identity {
  const token = {
    id: noToken,
    purpose: "user",
    readonly: false,
    bypassesSecondFactor: false,
    packages: null,
    scopes: null,
    permissions: null,
  } as const;
  return { userId: id, name, isAdmin, hasSecondFactor, token };
}

/** The id of the token in an identity without a token. */
export const noToken = "";

/**
 * Resolves the request's session or bearer token; undefined without one. An invalid token is an error, not an anonymous
 * request.
 */
export async function identify(hub: Hub, request: FastifyRequest): Promise<Identity | undefined> {
  const sessionIdentity = sessionIdentities.get(request);
  if (sessionIdentity !== undefined) return sessionIdentity;
  const header = request.headers.authorization;
  if (header === undefined || header === "") return undefined;
  const [, secret] = /^Bearer\s+(\S+)$/i.exec(header) ?? [];
  if (secret === undefined)
    throw unauthorized(
      "The Authorization header is not a bearer token (Bearer …). Log in: npm login, or envs hub login.",
    );
  if (!isToken(secret)) throw invalidToken();
  const row = await hub.database
    .selectFrom("tokens")
    .innerJoin("users", "users.account_id", "tokens.user_id")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .leftJoin("trusted_publishers", "trusted_publishers.id", "tokens.trusted_publisher_id")
    .where("tokens.secret_hash", "=", secretHash(secret))
    .select([
      "tokens.id",
      "tokens.user_id",
      "tokens.purpose",
      "tokens.readonly",
      "tokens.bypass_2fa",
      "tokens.cidr_whitelist",
    ])
    .select([
      "tokens.packages",
      "tokens.scopes",
      "tokens.expires_at",
      "tokens.revoked_at",
      "tokens.last_used_at",
    ])
    .select(["accounts.name", "users.is_admin", "users.totp_confirmed_at", "users.disabled_at"])
    .select("trusted_publishers.permissions")
    .executeTakeFirst();
  const now = hub.clock();
  if (row === undefined || row.revoked_at !== null || row.disabled_at !== null)
    throw invalidToken();
  if (row.expires_at !== null && row.expires_at <= now)
    throw unauthorized("This token has expired. Log in again: npm login, or envs hub login.");
  if (row.cidr_whitelist.length > 0 && !isWithin(request.ip, row.cidr_whitelist))
    throw new HubError("address-not-allowed", {
      message: `This token is limited to other IP addresses than ${request.ip}.`,
      headers: { "www-authenticate": "ipaddress" },
    });
  await updateLastUse(hub, row);
  return {
    userId: row.user_id,
    name: row.name,
    isAdmin: row.is_admin,
    hasSecondFactor: row.totp_confirmed_at !== null,
    token: {
      id: row.id,
      purpose: row.purpose,
      readonly: row.readonly,
      bypassesSecondFactor: row.bypass_2fa,
      packages: row.packages,
      scopes: row.scopes,
      permissions: row.purpose === "trusted-publisher" ? (row.permissions ?? []) : null,
    },
  };
}

/** Requires a user's token: rejects anonymous requests and trusted publishers. */
export async function requireIdentity(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireAny(hub, request);
  if (identity.token.purpose === "trusted-publisher")
    throw new HubError("publish-only-token", {
      message: `A trusted publisher's token can only publish ${identity.token.packages?.join(", ") ?? ""}. Log in: npm login, or envs hub login.`,
    });
  return identity;
}

/** Requires a user's token that may write. */
export async function requireWriter(hub: Hub, request: FastifyRequest): Promise<Identity> {
  return await mayWrite(hub, request, await requireIdentity(hub, request));
}

/** Requires a token that may publish, stage and tag: a user's or a trusted publisher's. */
export async function requirePublisher(hub: Hub, request: FastifyRequest): Promise<Identity> {
  return await mayWrite(hub, request, await requireAny(hub, request));
}

async function requireAny(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await identify(hub, request);
  if (identity === undefined) throw unauthorized();
  return identity;
}

async function mayWrite(hub: Hub, request: FastifyRequest, identity: Identity): Promise<Identity> {
  const { userId, name, token } = identity;
  if (token.readonly)
    throw new HubError("read-only-token", {
      message: "This token is read-only. Create one that may write: npm token create.",
    });
  // The user of a trusted publisher accepted the terms when they set it up, and CI cannot accept new ones.
  if (token.purpose === "user")
    await requireTerms(hub, { id: userId, name }, `${originOf(hub.settings, request)}/terms`);
  return identity;
}

function invalidToken(): HubError {
  return unauthorized(
    "This token is invalid: it was revoked, or belongs to another hub. Log in: npm login, or envs hub login.",
  );
}

function isWithin(address: string, ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    const family = isIP(network) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(network, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family);
  }
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  return list.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

/** Updates `last_used_at` at most once an hour, to avoid a write for each request. */
async function updateLastUse(
  hub: Hub,
  row: { id: string; last_used_at: Date | null },
): Promise<void> {
  const now = hub.clock();
  if (row.last_used_at !== null && now.getTime() - row.last_used_at.getTime() < 3_600_000) return;
  await hub.database
    .updateTable("tokens")
    .set({ last_used_at: now })
    .where("id", "=", row.id)
    .execute();
}
