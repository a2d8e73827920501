import type { FastifyRequest } from "fastify";

import { forbidden } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type Identity, requireWriter } from "./identity.ts";

/** Requires a token without package or scope limits, as changes of accounts and organisations do. */
export async function requireManager(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireWriter(hub, request);
  rejectLimited(identity);
  return identity;
}

/** Throws if the token is limited to packages or scopes. */
export function rejectLimited(identity: Identity): void {
  if (!isLimited(identity)) return;
  throw forbidden(
    "This token is limited to packages and cannot manage accounts or organisations. Use an unlimited token: npm login.",
  );
}

/** Whether a token is limited to packages or scopes. */
export function isLimited({ token: { purpose, packages, scopes } }: Identity): boolean {
  return purpose !== "user" || packages !== null || scopes !== null;
}
