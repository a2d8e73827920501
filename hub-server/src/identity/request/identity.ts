import { BlockList, isIP } from "node:net";

import type { FastifyRequest } from "fastify";

import { HubError, unauthorized } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isToken, secretHash } from "../credentials/secret.ts";

/** Who makes a request, and what the token allows of what the user may. */
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
    /** Null: every one that the user may reach. */
    readonly packages: readonly string[] | null;
    readonly scopes: readonly string[] | null;
    /** What a trusted publisher's token may do with its package; null: whatever the user may. */
    readonly permissions: readonly string[] | null;
  };
}

/** The identity behind the request's bearer token; undefined without one. A wrong token is an error, not a stranger. */
export async function identify(hub: Hub, request: FastifyRequest): Promise<Identity | undefined> {
  const header = request.headers.authorization;
  if (header === undefined || header === "") return undefined;
  const [, secret] = /^Bearer\s+(\S+)$/i.exec(header) ?? [];
  if (secret === undefined)
    throw unauthorized(
      "This hub takes tokens (Authorization: Bearer …). Log in: npm login, or envs login.",
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
    throw unauthorized("This token has expired. Log in again: npm login, or envs login.");
  if (row.cidr_whitelist.length > 0 && !isWithin(request.ip, row.cidr_whitelist))
    throw new HubError("address-not-allowed", {
      message: `This token may not be used from ${request.ip}.`,
      headers: { "www-authenticate": "ipaddress" },
    });
  await noteUse(hub, row);
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

/** The same, for a route that needs a person. */
export async function requireIdentity(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireAny(hub, request);
  if (identity.token.purpose === "trusted-publisher")
    throw new HubError("publish-only-token", {
      message: `A trusted publisher's token publishes ${identity.token.packages?.join(", ") ?? ""} and does nothing else. Log in: npm login, or envs login.`,
    });
  return identity;
}

/** The same, for a route that changes something. */
export async function requireWriter(hub: Hub, request: FastifyRequest): Promise<Identity> {
  return mayWrite(await requireIdentity(hub, request));
}

/** The same, for a route that publishes, stages or tags: a trusted publisher may, too. */
export async function requirePublisher(hub: Hub, request: FastifyRequest): Promise<Identity> {
  return mayWrite(await requireAny(hub, request));
}

async function requireAny(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await identify(hub, request);
  if (identity === undefined) throw unauthorized();
  return identity;
}

function mayWrite(identity: Identity): Identity {
  if (identity.token.readonly)
    throw new HubError("read-only-token", {
      message: "This token may only read. Use one that may write: npm token create.",
    });
  return identity;
}

function invalidToken(): HubError {
  return unauthorized(
    "This token is not known here: it was revoked, or belongs to another hub. Log in: npm login, or envs login.",
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

/** A write for each request would cost more than it tells: the hour is enough. */
async function noteUse(hub: Hub, row: { id: string; last_used_at: Date | null }): Promise<void> {
  const now = hub.clock();
  if (row.last_used_at !== null && now.getTime() - row.last_used_at.getTime() < 3_600_000) return;
  await hub.database
    .updateTable("tokens")
    .set({ last_used_at: now })
    .where("id", "=", row.id)
    .execute();
}
