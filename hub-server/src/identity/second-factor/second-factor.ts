import type { FastifyRequest } from "fastify";

import type { Row } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { clientName, printable } from "../../platform/http/client-name.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isCode, wrongCode } from "../credentials/code.ts";
import { requirePassword } from "../credentials/log-in.ts";
import { userOfPasskey } from "../passkeys/passkeys.ts";
import { type Identity, noToken } from "../request/identity.ts";
import { renewSession, type Session } from "../sessions/sessions.ts";
import type { Visitor } from "../sessions/visitor.ts";
import { approvalAddresses } from "./approval-addresses.ts";
import { createApproval } from "./approvals.ts";
import { storePass, usePass } from "./one-time-pass.ts";

/** The columns of a package that determine whether a change needs a second factor. */
type ChangedPackage = Pick<Row<"packages">, "name" | "requires_2fa" | "allows_bypass_2fa">;

/** Requests whose one-time password was verified: a code works only once, but a request may need it several times. */
const verified = new WeakSet<FastifyRequest>();
/** The maximum length that is checked, more than that of any one-time password. */
const maxLength = 64;

/**
 * Requires a one-time password if the user has a second factor and the token does not bypass it. Every route that publishes
 * or changes something calls it before its work. Later calls in the same request return at once.
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

/** Like {@link requireSecondFactor}, for a change of a package, which may require a second factor of every user. */
export async function requireSecondFactorFor(
  hub: Hub,
  request: FastifyRequest,
  identity: Identity,
  package_: ChangedPackage | undefined,
): Promise<void> {
  const isStrict = package_ !== undefined && package_.requires_2fa && !package_.allows_bypass_2fa;
  const bypassesSecondFactor = identity.token.bypassesSecondFactor && !isStrict;
  const token = { ...identity.token, bypassesSecondFactor };
  const isSatisfiable =
    identity.hasSecondFactor || bypassesSecondFactor || token.purpose !== "user";
  if (package_?.requires_2fa && !isSatisfiable)
    throw forbidden(
      `Changes of ${package_.name} need a second factor, and ${identity.name} does not have one. Set one up: npm profile enable-2fa`,
    );
  await requireSecondFactor(hub, request, { ...identity, token });
}

/** Requests whose user proved to be present. */
const confirmed = new WeakSet<FastifyRequest>();

/** The fields with which a form confirms a change. */
interface Confirmation {
  readonly code: string;
  readonly password: string;
  /** The answer of a passkey. */
  readonly credential: string;
}

/**
 * Accepts a form of a browser whose user signed in or entered a code within the last minutes, or who enters a code now. The
 * changes of this request then need no further code. A passkey confirms in place of a code, and for a user without a second factor, a
 * password.
 */
export async function confirmForm(
  hub: Hub,
  { session, request, browserHash }: Visitor & { readonly session: Session },
  { code, password, credential }: Confirmation,
): Promise<void> {
  const { id: userId, name, hasSecondFactor } = session.user;
  const address = request.ip;
  if (!session.isFresh && credential !== "") {
    const origin = originOf(hub.settings, request);
    if ((await userOfPasskey(hub, { browserHash, origin, credential })) !== userId)
      throw new HubError("passkey-invalid", {
        message: "This passkey belongs to another account. Use one of yours.",
      });
  } else if (!session.isFresh && hasSecondFactor) {
    if (code === "") throw codeMissing();
    if (!(await isCode(hub, { userId, code, address }))) throw wrongCode();
  } else if (!session.isFresh && password !== "")
    await requirePassword(hub, { name }, { password, address });
  if (session.isFresh || hasSecondFactor || password + credential !== "") {
    if (!session.isFresh) await renewSession(hub, session);
    confirmed.add(request);
  }
  verified.add(request);
}

/** The code of the error that makes pages ask for a confirmation. */
export const confirmationNeeded = "confirmation-needed";

/** Requires that the user of a form signed in or confirmed a change within the last minutes, with or without a second factor. */
export function requireConfirmed({ request }: Pick<Visitor, "request">): void {
  if (confirmed.has(request)) return;
  throw new HubError(confirmationNeeded, {
    message: "This action needs a confirmation that it is you. Sign in again, then repeat it.",
  });
}

/** The code of errors that make clients and pages ask for a one-time password. */
export const codeNeeded = "one-time-password";

function codeMissing(): HubError {
  return new HubError(codeNeeded, {
    message: "This action needs a code. Enter the one that your authenticator app shows now.",
  });
}

/** Requires a one-time password of any token, also of a user without an authenticator app, who can approve in a browser. */
export async function requireOneTimePassword(
  hub: Hub,
  request: FastifyRequest,
  identity: Identity,
): Promise<void> {
  if (verified.has(request)) return;
  const password = request.headers["npm-otp"];
  if (typeof password !== "string" || password === "" || identity.token.id === noToken)
    throw await challenge(hub, request, identity);
  if (!(await isOneTimePassword(hub, request, { identity, password })))
    throw await challenge(hub, request, { ...identity, isWrong: true });
  verified.add(request);
}

async function isOneTimePassword(
  hub: Hub,
  request: FastifyRequest,
  { identity, password }: { readonly identity: Identity; readonly password: string },
): Promise<boolean> {
  if (password.length > maxLength) return false;
  const pass = { tokenId: identity.token.id, secret: password, now: hub.clock() };
  if (await usePass(hub.database, pass)) return true;
  if (!identity.hasSecondFactor) return false;
  const code = { userId: identity.userId, code: password, address: request.ip };
  if (!(await isCode(hub, code))) return false;
  await storePass(hub.database, { ...pass, isUsed: true });
  return true;
}

/** The error that makes npm and Yarn ask for a code, and npm and pnpm open the approval page. */
async function challenge(
  hub: Hub,
  request: FastifyRequest,
  { userId, token, isWrong = false }: Identity & { readonly isWrong?: boolean },
): Promise<HubError> {
  const isWeb = request.headers["npm-auth-type"] === "web" && token.id !== noToken;
  const details = isWeb
    ? approvalAddresses(
        originOf(hub.settings, request),
        await createApproval(hub.database, {
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
  return new HubError(codeNeeded, {
    message: isWrong
      ? "The one-time password is wrong, used or expired. Send the current code of your authenticator app: --otp=<code>."
      : "This action needs a one-time password. Send the code of your authenticator app: --otp=<code>.",
    headers: { "www-authenticate": "OTP" },
    details,
  });
}

/** The action that the approval page shows, as the client describes it. */
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
