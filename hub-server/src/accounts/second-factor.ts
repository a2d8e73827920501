import type { FastifyRequest } from "fastify";

import type { Package } from "../access/permissions.ts";
import { forbidden, HubError } from "../http/errors.ts";
import type { Hub } from "../hub.ts";
import type { Identity } from "./identity.ts";

/**
 * Asks for a one-time password where the user has a second factor and the token does not do without it. Every route that
 * publishes or changes something calls it, before the work; in one request it asks once, however often it is called.
 */
export async function requireSecondFactor(
  hub: Hub,
  request: FastifyRequest,
  identity: Identity,
): Promise<void> {
  void hub;
  void request;
  const { purpose, bypassesSecondFactor } = identity.token;
  if (!identity.hasSecondFactor || bypassesSecondFactor || purpose !== "user") return;
  throw new HubError(401, "one-time-password", {
    message: "This needs a one-time password: give it with --otp=<code>.",
    headers: { "www-authenticate": "OTP" },
  });
}

/** The same for a change of a package, which may ask for a second factor of everyone who changes it. */
export async function requireSecondFactorFor(
  hub: Hub,
  request: FastifyRequest,
  { identity, found }: { readonly identity: Identity; readonly found: Package | undefined },
): Promise<void> {
  const { purpose, bypassesSecondFactor } = identity.token;
  const mayDoWithout = identity.hasSecondFactor || bypassesSecondFactor || purpose !== "user";
  if (found?.requires_2fa && !mayDoWithout)
    throw forbidden(
      `${found.name} is changed with a second factor alone, and ${identity.name} has none. Set one up: npm profile enable-2fa`,
    );
  await requireSecondFactor(hub, request, identity);
}
