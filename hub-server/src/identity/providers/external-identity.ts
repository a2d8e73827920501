import type { Configuration } from "openid-client";
import * as z from "zod";

import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { ExternalIdentity } from "../credentials/identities.ts";
import { clientOf, isGithub, providerOf, unavailable } from "./provider-client.ts";
import { maxAgeSeconds, type Visit } from "./visits.ts";

/** Exchanges the code in the URL, to which the provider sent the browser back, for the user's identity. */
export async function identityOfVisit(
  hub: Hub,
  { visit, url }: { readonly visit: Visit; readonly url: URL },
): Promise<ExternalIdentity> {
  const provider = providerOf(hub, visit.provider);
  const client = await clientOf(hub, provider);
  try {
    return isGithub(provider)
      ? await githubIdentity(provider, client, { visit, url })
      : await openIdIdentity(client, { visit, url });
  } catch (error) {
    if (error instanceof Error && "error" in error && error.error === "access_denied")
      throw new HubError("provider-refused", {
        message: `${provider.label} did not sign you in: access was denied there. Start again from the sign-in page.`,
      });
    throw unavailable(hub, provider, error);
  }
}

interface Answer {
  readonly visit: Visit;
  readonly url: URL;
}

/** openid-client verifies the state, the code's PKCE, the id token's signature, issuer, audience, nonce and times. */
async function openIdIdentity(
  client: Configuration,
  { visit, url }: Answer,
): Promise<ExternalIdentity> {
  const { authorizationCodeGrant, fetchUserInfo } = await import("openid-client");
  const tokens = await authorizationCodeGrant(client, url, {
    pkceCodeVerifier: visit.verifier,
    expectedState: url.searchParams.get("state") ?? "",
    expectedNonce: visit.nonce,
    ...(visit.purpose === "confirm" && { maxAge: maxAgeSeconds }),
  });
  const idToken = tokens.claims();
  if (idToken === undefined) throw new Error("The provider sent no id token.");
  const { iss: issuer, sub: subject } = idToken;
  const info =
    client.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await fetchUserInfo(client, tokens.access_token, subject);
  const claims: Readonly<Record<string, unknown>> = { ...idToken, ...info };
  const email = claims["email_verified"] === true ? textOf(claims["email"]) : "";
  const name = textOf(claims["preferred_username"]) || email.replace(/@.*/, "");
  return {
    issuer,
    subject,
    label: cut(textOf(claims["preferred_username"]) || email || subject),
    suggestedName: accountName(name),
    fullName: cut(textOf(claims["name"])),
    email: email === "" ? null : email,
  };
}

const githubUser = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
});
const githubEmails = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
);

/** The numeric id identifies a GitHub user: names can be changed, and then taken by others. */
async function githubIdentity(
  { issuer }: SignInProvider,
  client: Configuration,
  { visit, url }: Answer,
): Promise<ExternalIdentity> {
  const { authorizationCodeGrant, fetchProtectedResource } = await import("openid-client");
  const { access_token: token } = await authorizationCodeGrant(client, url, {
    pkceCodeVerifier: visit.verifier,
    expectedState: url.searchParams.get("state") ?? "",
  });
  const api = issuer === "https://github.com" ? "https://api.github.com" : `${issuer}/api/v3`;
  const read = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: "application/vnd.github+json" });
    const address = new URL(`${api}${path}`);
    const response = await fetchProtectedResource(
      client,
      token,
      address,
      "GET",
      undefined,
      headers,
    );
    if (!response.ok) throw new Error(`${address.href} answered ${response.status}`);
    return await response.json();
  };
  const user = githubUser.parse(await read("/user"));
  const emails = githubEmails.parse(await read("/user/emails"));
  return {
    issuer,
    subject: String(user.id),
    label: cut(user.login),
    suggestedName: accountName(user.login),
    fullName: cut(user.name ?? ""),
    email: emails.find(({ primary, verified }) => primary && verified)?.email ?? null,
  };
}

function textOf(claim: unknown): string {
  return typeof claim === "string" ? claim : "";
}

function cut(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, "")
    .trim()
    .slice(0, 100);
}

/** A name that the account could have: the user may change it. */
function accountName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .slice(0, 64)
    .replaceAll(/^[._-]+|[._-]+$/g, "");
}
