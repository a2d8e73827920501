import type { FastifyRequest } from "fastify";

import { forbidden } from "../http/errors.ts";
import type { Hub } from "../hub.ts";
import { type Identity, requireWriter } from "./identity.ts";

/** Somebody whose token may do all that they may: one for some packages does not open the account itself. */
export async function requireManager(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireWriter(hub, request);
  const { purpose, packages, scopes } = identity.token;
  if (purpose === "user" && packages === null && scopes === null) return identity;
  throw forbidden(
    "This token is for some packages alone, not for the account. Use one without such a limit: npm login.",
  );
}
