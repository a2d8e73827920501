import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { secretHash } from "../credentials/secret.ts";
import { clientOf, isGithub, providerOf } from "./provider-client.ts";

export type Visit = Row<"provider_visits">;

const minutes = 10;
/** How recently the user of a provider must have signed in there to confirm a change here. */
export const maxAgeSeconds = 300;

/** A visit to a provider, and the browser that starts it. */
export interface NewVisit {
  readonly provider: string;
  readonly browserHash: string;
  readonly purpose: Visit["purpose"];
  readonly userId?: number | undefined;
  readonly invitationId?: string | undefined;
  readonly next: string;
  /** An encrypted form that the browser submits after a confirmation. */
  readonly form?: string | undefined;
  /** Where the provider sends the browser back. */
  readonly callback: string;
}

/** Stores a visit and returns the provider's URL to open. The state, the nonce and PKCE bind the answer to this browser. */
export async function startVisit(hub: Hub, visit: NewVisit): Promise<URL> {
  const provider = providerOf(hub, visit.provider);
  const client = await clientOf(hub, provider);
  const library = await import("openid-client");
  const { purpose, callback, browserHash, next } = visit;
  const [state, nonce] = [library.randomState(), library.randomNonce()];
  const verifier = library.randomPKCECodeVerifier();
  await hub.database
    .insertInto("provider_visits")
    .values({
      state_hash: secretHash(state),
      browser_hash: browserHash,
      provider: provider.id,
      verifier,
      nonce,
      purpose,
      user_id: visit.userId ?? null,
      invitation_id: visit.invitationId ?? null,
      next,
      form: visit.form ?? null,
      expires_at: new Date(hub.clock().getTime() + minutes * 60_000),
    })
    .execute();
  return library.buildAuthorizationUrl(client, {
    redirect_uri: callback,
    state,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(isGithub(provider)
      ? { scope: "read:user user:email" }
      : { scope: "openid profile email", nonce }),
    ...(purpose === "confirm" &&
      !isGithub(provider) && { prompt: "login", max_age: String(maxAgeSeconds) }),
  });
}

/** Takes the visit of a state, which works once, and only in the browser and for the provider that it began with. */
export async function takeVisit(
  database: Database,
  {
    state,
    browserHash,
    provider,
    now,
  }: Pick<NewVisit, "browserHash" | "provider"> & { readonly state: string; readonly now: Date },
): Promise<Visit> {
  const visit = await database
    .deleteFrom("provider_visits")
    .where("state_hash", "=", secretHash(state))
    .where("browser_hash", "=", browserHash)
    .where("provider", "=", provider)
    .where("expires_at", ">", now)
    .returningAll()
    .executeTakeFirst();
  if (visit !== undefined) return visit;
  throw new HubError("provider-visit-over", {
    message:
      "This sign-in was completed already, has expired, or began in another browser. Start again from the sign-in page.",
  });
}
