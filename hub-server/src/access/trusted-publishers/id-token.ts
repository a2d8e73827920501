import { createHash } from "node:crypto";

import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";

import type { OidcIssuer } from "../../platform/config/oidc-issuers.ts";
import type { Settings } from "../../platform/config/settings.ts";
import { HubError, unauthorized } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** A verified OpenID Connect id token of a build in continuous integration. */
export interface IdToken {
  readonly type: OidcIssuer["type"];
  readonly claims: JWTPayload & { readonly iss: string };
  /** The host of the issuer. */
  readonly host: string;
  /** Identifies the token, so that it can be exchanged only once. */
  readonly jti: string;
  readonly expiresAt: Date;
}

const defaultIssuers: readonly OidcIssuer[] = [
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

/** Verifies the signature, issuer, audience and expiry of an id token. */
export async function verifyIdToken(
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
      // CircleCI's tokens do not have a jti.
      jti: payload.jti ?? createHash("sha256").update(token).digest("hex"),
      expiresAt: new Date((payload.exp ?? 0) * 1000),
    };
  } catch (error) {
    throw verificationError(error, issuer, audience);
  }
}

/**
 * The audience that npm requests for its id token, so that a token for another registry is not valid here. The request's
 * `Host` header is not used, because the client chooses it.
 */
function audienceOf({ HUB_URL, HUB_HOST }: Settings): string {
  return `npm:${HUB_URL === undefined ? HUB_HOST : new URL(HUB_URL).hostname}`;
}

/**
 * The configured issuer of a token. A configured issuer replaces the default one of its type, because the name of a
 * repository is unique only on one host.
 */
function issuerOf({ HUB_OIDC_ISSUERS: configured = [] }: Settings, token: string): OidcIssuer {
  const iss = issIn(token);
  const types = new Set(configured.map(({ type }) => type));
  const issuers = [...configured, ...defaultIssuers.filter(({ type }) => !types.has(type))];
  for (const issuer of issuers) {
    const [before = "", after] = issuer.issuer.split("{org}");
    if (after === undefined && iss === issuer.issuer) return issuer;
    const org = iss.slice(before.length, iss.length - (after?.length ?? 0));
    if (iss === `${before}${org}${after}` && /^[0-9a-f-]{36}$/i.test(org))
      return { ...issuer, issuer: iss, keys: issuer.keys.replace("{org}", org) };
  }
  throw unauthorized(
    `This hub does not trust the id token's issuer ${JSON.stringify(iss.slice(0, 250))}. Its operator can add the issuer to HUB_OIDC_ISSUERS.`,
  );
}

function issIn(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (iss !== undefined) return iss;
  } catch {
    // The error below also covers a token without an issuer.
  }
  throw unauthorized(
    "The token is not an id token (a JWT) of a build. Publish with npm in GitHub Actions, GitLab CI or CircleCI, where npm sends the id token itself.",
  );
}

function verificationError(error: unknown, issuer: OidcIssuer, audience: string): HubError {
  if (error instanceof errors.JWTExpired)
    return unauthorized("This id token has expired. Request a new one just before you publish.");
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === "aud")
    return unauthorized(
      `This id token is for another registry: its audience must be ${audience}. The hub's operator sets the name with HUB_URL.`,
    );
  const isTokenInvalid =
    error instanceof errors.JOSEError &&
    error.code !== errors.JWKSTimeout.code &&
    error.code !== errors.JOSEError.code;
  if (isTokenInvalid)
    return unauthorized(`This id token is not valid: ${error.message}. Request a new one.`);
  return new HubError("issuer-unreachable", {
    message: `This hub cannot fetch the keys of ${issuer.issuer} to verify the id token. Retry later, or publish with a token.`,
    headers: { "retry-after": "30" },
  });
}
