import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { readBody } from "../../platform/http/json-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requirePassword } from "../credentials/log-in.ts";
import { type Identity, requireIdentity } from "../request/identity.ts";
import { requireManager } from "../request/manager.ts";
import { requireOneTimePassword } from "../second-factor/second-factor.ts";
import { requestedToken, tokenRequest } from "./token-request.ts";
import {
  createUserToken,
  listTokens,
  revokeTokens,
  type Token,
  tokenKey,
  tokensByKey,
} from "./tokens.ts";

const day = 86_400_000;
const paging = z.object({
  page: z.coerce.number().int().min(0).max(1_000_000).default(0),
  perPage: z.coerce.number().int().min(1).max(1000).default(1000),
});

/** The routes of npm's `token` command. */
export function tokenRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/-/npm/v1/tokens", async (request) => {
    const { userId } = await requireIdentity(hub, request);
    const { page, perPage } = readQuery(request);
    const now = hub.clock();
    const { tokens, total } = await listTokens(hub.database, {
      userId,
      now,
      offset: page * perPage,
      limit: perPage,
    });
    // With an empty `next`, pnpm requests pages in an endless loop.
    return { objects: tokens.map(tokenEntry), total, urls: {} };
  });

  app.post("/-/npm/v1/tokens", async (request) => {
    const identity = await requireManager(hub, request);
    const body = readBody(request, tokenRequest);
    const { days, ...options } = requestedToken(body);
    await requireOwner(hub, request, { identity, password: body.password ?? "" });
    const now = hub.clock();
    const expiresAt = days === undefined ? null : new Date(now.getTime() + days * day);
    const { userId } = identity;
    const { secret, token } = await createUserToken(hub, {
      ...options,
      userId,
      expiresAt,
      now,
    });
    return { ...tokenEntry(token), token: secret };
  });

  app.delete<{ Params: { readonly key: string } }>(
    "/-/npm/v1/tokens/token/:key",
    async (request, reply) => {
      const identity = await requireManager(hub, request);
      const { key } = request.params;
      const tokens = await tokensByKey(hub.database, { userId: identity.userId, key });
      if (tokens.length === 0) throw notFound("A token of yours with this key");
      if (tokens.length > 1)
        throw new HubError("token-ambiguous", {
          message: `${tokens.length} of your tokens begin with ${key}. Use more characters of the key: npm token list.`,
        });
      if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
      await revokeTokens(hub.database, { ids: tokens.map(({ id }) => id), now: hub.clock() });
      return await reply.code(204).send();
    },
  );
}

/** Requires the password or an approval in the browser, so that a leaked token cannot create others. */
async function requireOwner(
  hub: Hub,
  request: FastifyRequest,
  { identity, password }: { readonly identity: Identity; readonly password: string },
): Promise<void> {
  const { headers, ip: address } = request;
  const mayApprove = headers["npm-auth-type"] === "web" || headers["npm-otp"] !== undefined;
  if (password !== "" || !mayApprove) await requirePassword(hub, identity, { password, address });
  if (password === "" || identity.hasSecondFactor)
    await requireOneTimePassword(hub, request, identity);
}

function readQuery({ query }: FastifyRequest): z.output<typeof paging> {
  const { success, data } = paging.safeParse(query);
  if (success) return data;
  throw new HubError("invalid-request", {
    message: "Invalid paging. page must be at least 0, and perPage from 1 to 1000.",
  });
}

/** A token in npm's list format, with only the first characters of its secret. */
function tokenEntry(token: Token): Readonly<Record<string, unknown>> {
  const { preview, name, description, cidr_whitelist, packages, scopes } = token;
  const [prefix = ""] = preview.split("…");
  return {
    key: tokenKey(token),
    token: prefix,
    name,
    description,
    created: token.created_at.toISOString(),
    updated: token.created_at.toISOString(),
    expires: token.expires_at?.toISOString() ?? null,
    last_used: token.last_used_at?.toISOString() ?? null,
    readonly: token.readonly,
    bypass_2fa: token.bypass_2fa,
    // Without it, npm would print an empty list.
    cidr_whitelist: cidr_whitelist.length === 0 ? null : cidr_whitelist,
    packages,
    scopes,
  };
}
