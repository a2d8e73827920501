import type { FastifyRequest } from "fastify";

import type { Row } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { clientName, printable } from "../../platform/http/client-name.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isCode } from "../credentials/code.ts";
import type { Identity } from "../request/identity.ts";
import { approvalAddresses } from "./approval-addresses.ts";
import { askApproval } from "./approvals.ts";
import { keepPass, usePass } from "./one-time-pass.ts";

/** The columns of a package that decide about the second factor. */
type ChangedPackage = Pick<Row<"packages">, "name" | "requires_2fa" | "allows_bypass_2fa">;

/** Requests that have given their one-time password: it is right only once. */
const proven = new WeakSet<FastifyRequest>();
/** Longer than any one-time password that the hub makes. */
const longest = 64;

/**
 * Asks for a one-time password where the user has a second factor and the token does not do without it. Every route that
 * publishes or changes something calls it, before the work; in one request it asks once, however often it is called.
 */
export async function requireSecondFactor(
  hub: Hub,
  request: FastifyRequest,
  identity: Identity,
): Promise<void> {
  const { purpose, bypassesSecondFactor } = identity.token;
  if (!identity.hasSecondFactor || bypassesSecondFactor || purpose !== "user") return;
  await requireOneTimePassword(hub, request, identity);
}

/** The same for a change of a package, which may ask for a second factor of everyone who changes it. */
export async function requireSecondFactorFor(
  hub: Hub,
  request: FastifyRequest,
  { identity, found }: { readonly identity: Identity; readonly found: ChangedPackage | undefined },
): Promise<void> {
  const isStrict = found !== undefined && found.requires_2fa && !found.allows_bypass_2fa;
  const bypassesSecondFactor = identity.token.bypassesSecondFactor && !isStrict;
  const token = { ...identity.token, bypassesSecondFactor };
  const mayDoWithout = identity.hasSecondFactor || bypassesSecondFactor || token.purpose !== "user";
  if (found?.requires_2fa && !mayDoWithout)
    throw forbidden(
      `${found.name} is changed with a second factor alone, and ${identity.name} has none. Set one up: npm profile enable-2fa`,
    );
  await requireSecondFactor(hub, request, { ...identity, token });
}

/** Asks for a one-time password whatever the token may do without; also of a user who can only approve in a browser. */
export async function requireOneTimePassword(
  hub: Hub,
  request: FastifyRequest,
  identity: Identity,
): Promise<void> {
  if (proven.has(request)) return;
  const given = request.headers["npm-otp"];
  if (typeof given !== "string" || given === "") throw await challenge(hub, request, identity);
  if (!(await isOneTimePassword(hub, request, { identity, given })))
    throw await challenge(hub, request, { ...identity, isWrong: true });
  proven.add(request);
}

async function isOneTimePassword(
  hub: Hub,
  request: FastifyRequest,
  { identity, given }: { readonly identity: Identity; readonly given: string },
): Promise<boolean> {
  if (given.length > longest) return false;
  const pass = { tokenId: identity.token.id, secret: given, now: hub.clock() };
  if (await usePass(hub.database, pass)) return true;
  if (!identity.hasSecondFactor) return false;
  const code = { userId: identity.userId, code: given, address: request.ip };
  if (!(await isCode(hub, code))) return false;
  await keepPass(hub.database, { ...pass, isUsed: true });
  return true;
}

/** What npm and Yarn understand as a question for the code, and npm and pnpm as a page to open. */
async function challenge(
  hub: Hub,
  request: FastifyRequest,
  { userId, token, isWrong = false }: Identity & { readonly isWrong?: boolean },
): Promise<HubError> {
  const isWeb = request.headers["npm-auth-type"] === "web";
  const details = isWeb
    ? approvalAddresses(
        originOf(hub.settings, request),
        await askApproval(hub.database, {
          purpose: "otp",
          userId,
          tokenId: token.id,
          client: clientName(request),
          address: request.ip,
          action: actionOf(request),
          now: hub.clock(),
        }),
      )
    : {};
  return new HubError("one-time-password", {
    message: isWrong
      ? "This one-time password is wrong, was used, or is too old. Give the one that your app shows: --otp=<code>."
      : "This needs a one-time password. Give the one that your app shows: --otp=<code>.",
    headers: { "www-authenticate": "OTP" },
    details,
  });
}

/** What a person is asked to approve, as the client says it. */
function actionOf({ headers, method, url }: FastifyRequest): string {
  const command = headers["npm-command"];
  const path = printable(decodedPath(url));
  return typeof command === "string"
    ? `${printable(command)} (${method} ${path})`
    : `${method} ${path}`;
}

function decodedPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
