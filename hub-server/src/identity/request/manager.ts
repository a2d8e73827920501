import type { FastifyRequest } from "fastify";

import { forbidden } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type Identity, requireWriter } from "./identity.ts";

/** Somebody whose token may do all that they may: one for some packages does not open the account itself. */
export async function requireManager(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireWriter(hub, request);
  refuseLimited(identity);
  return identity;
}

/** Refuses a token for some packages where accounts and organisations are meant. */
export function refuseLimited(identity: Identity): void {
  if (!isLimited(identity)) return;
  throw forbidden(
    "This token is for some packages alone, not for accounts or organisations. Use one without such a limit: npm login.",
  );
}

/** Whether a token is for some packages alone. */
export function isLimited({ token: { purpose, packages, scopes } }: Identity): boolean {
  return purpose !== "user" || packages !== null || scopes !== null;
}
