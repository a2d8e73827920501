import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import * as z from "zod";

import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { accountClosed, rejectSuspended } from "../credentials/suspension.ts";
import { storeNotice } from "../mail/notice.ts";

/** The browser that uses a passkey, and the hub's origin, to which passkeys are bound. */
export interface PasskeyBrowser {
  readonly browserHash: string;
  readonly origin: string;
}

/** A passkey's answer, as JSON of the browser. */
type Answer = PasskeyBrowser & { readonly credential: string };

const minutes = 5;

/** Options with which the browser creates a passkey that signs in without a name. */
export async function creationOptions(
  hub: Hub,
  {
    user,
    ...browser
  }: PasskeyBrowser & { readonly user: { readonly id: number; readonly name: string } },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const { host, hostname } = new URL(browser.origin);
  const options = await generateRegistrationOptions({
    rpName: host,
    rpID: hostname,
    userName: user.name,
    userID: new TextEncoder().encode(String(user.id)),
    attestationType: "none",
    excludeCredentials: await passkeysOf(hub.database, user.id),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await storeChallenge(hub, browser, options.challenge);
  return options;
}

/** Options with which the browser uses a passkey: one of the user, or any if the user is unknown. */
export async function requestOptions(
  hub: Hub,
  { userId, ...browser }: PasskeyBrowser & { readonly userId?: number },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const options = await generateAuthenticationOptions({
    rpID: new URL(browser.origin).hostname,
    userVerification: "required",
    allowCredentials: userId === undefined ? [] : [...(await passkeysOf(hub.database, userId))],
  });
  await storeChallenge(hub, browser, options.challenge);
  return options;
}

/** Verifies a new passkey and adds it to a user. */
export async function addPasskey(
  hub: Hub,
  { userId, name, ...answer }: Answer & { readonly userId: number; readonly name: string },
): Promise<void> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const challenge = await takeChallenge(hub, answer);
  const { registrationInfo } = await verified(() =>
    verifyRegistrationResponse({
      response: JSON.parse(answer.credential) as RegistrationResponseJSON,
      ...expected(answer, challenge),
    }),
  );
  if (registrationInfo === undefined) throw invalidPasskey();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  await change(hub, async ({ database, now }) => {
    const added = await database
      .insertInto("passkeys")
      .values({
        id,
        user_id: userId,
        public_key: Buffer.from(publicKey).toString("base64url"),
        counter,
        transports: [...transports],
        name: name.trim().slice(0, 100) || "Passkey",
        created_at: now,
        last_used_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (added === undefined) throw invalidPasskey();
    await storeNotice(database, hub, {
      userId,
      subject: "A passkey was added",
      text: `The passkey “${name.trim()}” can be used to sign in.`,
    });
  });
}

/** Verifies the answer of a passkey, which proves possession and a PIN or a fingerprint. Returns the id of its user. */
export async function userOfPasskey(hub: Hub, answer: Answer): Promise<number> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const challenge = await takeChallenge(hub, answer);
  const response = await verified(async () => {
    const { id } = z.looseObject({ id: z.string() }).parse(JSON.parse(answer.credential));
    return { ...(JSON.parse(answer.credential) as AuthenticationResponseJSON), id };
  });
  const passkey = await hub.database
    .selectFrom("passkeys")
    .innerJoin("users", "users.account_id", "passkeys.user_id")
    .where("id", "=", response.id)
    .selectAll("passkeys")
    .select("disabled_at")
    .executeTakeFirst();
  if (passkey === undefined) throw invalidPasskey();
  const { authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response,
      ...expected(answer, challenge),
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, "base64url")),
        counter: passkey.counter,
      },
    }),
  );
  await hub.database
    .updateTable("passkeys")
    .set({ counter: authenticationInfo.newCounter, last_used_at: hub.clock() })
    .where("id", "=", passkey.id)
    .execute();
  if (passkey.disabled_at !== null) {
    await rejectSuspended(hub.database, passkey.user_id);
    throw accountClosed();
  }
  return passkey.user_id;
}

/** The passkeys of a user, oldest first. */
export async function passkeysOf(database: Database, userId: number): Promise<Row<"passkeys">[]> {
  return await database
    .selectFrom("passkeys")
    .where("user_id", "=", userId)
    .selectAll()
    .orderBy("created_at")
    .execute();
}

/** The newest challenge of a browser replaces an earlier one. */
async function storeChallenge(
  { database, clock }: Hub,
  { browserHash }: PasskeyBrowser,
  challenge: string,
): Promise<void> {
  const row = { challenge, expires_at: new Date(clock().getTime() + minutes * 60_000) };
  await database
    .insertInto("passkey_challenges")
    .values({ browser_hash: browserHash, ...row })
    .onConflict((conflict) => conflict.column("browser_hash").doUpdateSet(row))
    .execute();
}

/** Takes the challenge of a browser, which works once. */
async function takeChallenge(
  { database, clock }: Hub,
  { browserHash }: PasskeyBrowser,
): Promise<string> {
  const row = await database
    .deleteFrom("passkey_challenges")
    .where("browser_hash", "=", browserHash)
    .where("expires_at", ">", clock())
    .returning("challenge")
    .executeTakeFirst();
  if (row === undefined) throw invalidPasskey();
  return row.challenge;
}

function expected({ origin }: PasskeyBrowser, challenge: string) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
  };
}

/** The library throws for malformed answers and those of other sites, challenges and copies of a passkey. */
async function verified<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    if ((result as { readonly verified?: boolean }).verified === false) throw invalidPasskey();
    return result;
  } catch (error) {
    throw error instanceof HubError ? error : invalidPasskey();
  }
}

function invalidPasskey(): HubError {
  return new HubError("passkey-invalid", {
    message: "The passkey was not accepted. Try again, or sign in another way.",
  });
}
