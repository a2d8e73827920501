import { type Token, tokenKey } from "./tokens.ts";

/** A token as npm lists it: all but its secret, of which it gives the beginning. */
export function tokenEntry(token: Token): Readonly<Record<string, unknown>> {
  const { preview, name, description, cidr_whitelist, packages, scopes } = token;
  const [beginning = ""] = preview.split("…");
  return {
    key: tokenKey(token),
    token: beginning,
    name,
    description,
    created: token.created_at.toISOString(),
    updated: token.created_at.toISOString(),
    expires: token.expires_at?.toISOString() ?? null,
    last_used: token.last_used_at?.toISOString() ?? null,
    readonly: token.readonly,
    bypass_2fa: token.bypass_2fa,
    // npm prints an empty list, too.
    cidr_whitelist: cidr_whitelist.length === 0 ? null : cidr_whitelist,
    packages,
    scopes,
  };
}
