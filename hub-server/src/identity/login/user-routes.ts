import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { clientName } from "../../platform/http/client-name.ts";
import { readBody } from "../../platform/http/json-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isAccountName } from "../../platform/names/account-name.ts";
import { createUser } from "../accounts/create-user.ts";
import { countAttempt } from "../credentials/attempts.ts";
import { isCode } from "../credentials/code.ts";
import { logIn, type PasswordLogin } from "../credentials/log-in.ts";
import { secretHash } from "../credentials/secret.ts";
import { identify, requireIdentity } from "../request/identity.ts";
import { cancelDeletion } from "../sessions/cancel-deletion.ts";
import { loginToken, revokeTokens } from "../tokens/tokens.ts";

// In a route pattern, `::` is a literal colon.
const path = "/-/user/org.couchdb.user:::name";
const login = z.looseObject({
  name: z.string().max(200),
  password: z.string().max(1000),
  email: z.string().max(1000).nullish(),
});
type Login = z.output<typeof login>;
interface NameRoute {
  Params: { readonly name: string };
}

/** npm's routes for password logins and for users. */
export function userRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/-/whoami", async (request) => {
    const { name } = await requireIdentity(hub, request);
    return { username: name };
  });

  app.put<NameRoute>(path, async (request, reply) => {
    const body = readBody(request, login);
    const { name } = request.params;
    if (body.name !== name)
      throw new HubError("name-mismatch", {
        message:
          "The URL and the body contain different user names. Log in with npm, pnpm, Yarn or envs.",
      });
    const id = (await register(hub, request, body)) ?? (await logInWithCode(hub, request, body)).id;
    const [client, now] = [clientName(request), hub.clock()];
    await cancelDeletion(hub.database, hub, id);
    const token = await loginToken(hub.database, { userId: id, client, now });
    return await reply.code(201).send({ ok: true, id: `org.couchdb.user:${name}`, token });
  });

  app.get<NameRoute>(path, async (request) => {
    const identity = await identify(hub, request);
    const { name } = request.params;
    const user = isAccountName(name) ? await userNamed(hub, name) : undefined;
    if (user === undefined) throw notFound(`The user ${name}`);
    const mayKnow = identity !== undefined && (identity.isAdmin || identity.name === name);
    return { _id: `org.couchdb.user:${name}`, name, ...(mayKnow && { email: user.email ?? "" }) };
  });

  app.delete<{ Params: { readonly token: string } }>("/-/user/token/:token", async (request) => {
    const { token } = await requireIdentity(hub, request);
    const [, bearer = ""] = (request.headers.authorization ?? "").split(/\s+/);
    if (secretHash(bearer) !== secretHash(request.params.token))
      throw new HubError("another-token", {
        message: "A token can only log itself out. Revoke other tokens: npm token revoke <key>.",
      });
    await revokeTokens(hub.database, { ids: [token.id], now: hub.clock() });
    return { ok: true };
  });
}

/** Creates the account if registration is open and the name is free; returns its id. */
async function register(
  hub: Hub,
  { ip: address }: FastifyRequest,
  { name, password, email }: Login,
): Promise<number | undefined> {
  if (hub.settings.HUB_REGISTRATION !== "open" || !isAccountName(name)) return undefined;
  const existing = await hub.database
    .selectFrom("accounts")
    .where("name", "=", name)
    .select("id")
    .executeTakeFirst();
  if (existing !== undefined) return undefined;
  await countAttempt(hub, { kind: "registration", address });
  return await createUser(hub, { name, password, email: email ?? undefined });
}

/** Checks the password and, if the user has a second factor, the code in the header `npm-otp`. */
async function logInWithCode(
  hub: Hub,
  request: FastifyRequest,
  { name, password }: Login,
): Promise<PasswordLogin> {
  const user = await logIn(hub, { name, password, address: request.ip });
  if (!user.hasSecondFactor) return user;
  const code = request.headers["npm-otp"];
  const isRight =
    typeof code === "string" &&
    (await isCode(hub, { userId: user.id, code: code.slice(0, 64), address: request.ip }));
  if (isRight) return user;
  throw new HubError("one-time-password", {
    message:
      "This account also needs a one-time password. Send the code from your authenticator app.",
    headers: { "www-authenticate": "OTP" },
  });
}

async function userNamed({ database }: Hub, name: string) {
  return await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("accounts.name", "=", name)
    .select("users.email")
    .executeTakeFirst();
}
