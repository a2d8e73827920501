import { createHash } from "node:crypto";

import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";

import type { OidcIssuer } from "../../platform/config/oidc-issuers.ts";
import type { Settings } from "../../platform/config/settings.ts";
import { HubError, unauthorized } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** A build that has proven what it says of itself. */
export interface IdToken {
  readonly type: OidcIssuer["type"];
  readonly claims: JWTPayload & { readonly iss: string };
  /** The host of the issuer. */
  readonly host: string;
  /** By which a token is known when it comes again. */
  readonly jti: string;
  readonly expiresAt: Date;
}

const known: readonly OidcIssuer[] = [
  {
    type: "github",
    issuer: "https://token.actions.githubusercontent.com",
    keys: "https://token.actions.githubusercontent.com/.well-known/jwks",
  },
  {
    type: "gitlab",
    issuer: "https://gitlab.com",
    keys: "https://gitlab.com/oauth/discovery/keys",
  },
  {
    type: "circleci",
    issuer: "https://oidc.circleci.com/org/{org}",
    keys: "https://oidc.circleci.com/org/{org}/.well-known/jwks-pub.json",
  },
];

const algorithms = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"];
const keySets = new LRUCache<string, ReturnType<typeof createRemoteJWKSet>>({ max: 100 });

/** Verifies the id token of a build: who signed it, for which hub, and until when. */
export async function verifiedIdToken(
  { settings, clock }: Pick<Hub, "settings" | "clock">,
  token: string,
): Promise<IdToken> {
  const issuer = issuerOf(settings, token);
  const audience = audienceOf(settings);
  const keys = keySets.get(issuer.keys) ?? createRemoteJWKSet(new URL(issuer.keys));
  keySets.set(issuer.keys, keys);
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      audience,
      algorithms,
      currentDate: clock(),
      clockTolerance: 30,
      requiredClaims: ["exp", "iat", "sub"],
    });
    return {
      type: issuer.type,
      claims: { ...payload, iss: issuer.issuer },
      host: new URL(issuer.issuer).host,
      // CircleCI gives its tokens no number.
      jti: payload.jti ?? createHash("sha256").update(token).digest("hex"),
      expiresAt: new Date((payload.exp ?? 0) * 1000),
    };
  } catch (error) {
    throw refused(error, { issuer, audience });
  }
}

/** npm asks its id token for this: no registry that got another can use it here. The request's own `Host` says nothing. */
function audienceOf({ HUB_URL, HUB_HOST }: Settings): string {
  return `npm:${HUB_URL === undefined ? HUB_HOST : new URL(HUB_URL).hostname}`;
}

/** Each kind of continuous integration has one issuer: a repository's name means something with its host alone. */
function issuerOf({ HUB_OIDC_ISSUERS: given = [] }: Settings, token: string): OidcIssuer {
  const iss = issIn(token);
  const types = new Set(given.map(({ type }) => type));
  for (const each of [...given, ...known.filter(({ type }) => !types.has(type))]) {
    const [before = "", after] = each.issuer.split("{org}");
    if (after === undefined && iss === each.issuer) return each;
    const org = iss.slice(before.length, iss.length - (after?.length ?? 0));
    if (iss === `${before}${org}${after}` && /^[0-9a-f-]{36}$/i.test(org))
      return { ...each, issuer: iss, keys: each.keys.replace("{org}", org) };
  }
  throw unauthorized(
    `This hub does not know the issuer ${JSON.stringify(iss.slice(0, 250))} of id tokens. Its operator can name it in HUB_OIDC_ISSUERS.`,
  );
}

function issIn(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (iss !== undefined) return iss;
  } catch {
    // Said below, as of a token without an issuer.
  }
  throw unauthorized(
    "This route takes the id token (a JWT) of a build, as Authorization: Bearer …. npm sends it by itself in GitHub Actions, GitLab CI and CircleCI.",
  );
}

function refused(
  error: unknown,
  { issuer, audience }: { readonly issuer: OidcIssuer; readonly audience: string },
): HubError {
  if (error instanceof errors.JWTExpired)
    return unauthorized("This id token has expired. Ask for a new one right before you publish.");
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === "aud")
    return unauthorized(
      `This id token is not for this hub: its audience should be ${audience}. The hub's operator sets the name with HUB_URL.`,
    );
  const isOurs =
    error instanceof errors.JOSEError &&
    error.code !== errors.JWKSTimeout.code &&
    error.code !== errors.JOSEError.code;
  if (isOurs) return unauthorized(`This id token does not verify: ${error.message}`);
  return new HubError("issuer-unreachable", {
    message: `The keys of ${issuer.issuer} cannot be read, so no id token of it can be verified. Try again, or publish with a token.`,
    headers: { "retry-after": "30" },
  });
}
