import { type Token, tokenKey } from "./tokens.ts";

/** A token in npm's list format, with only the first characters of its secret. */
export function tokenEntry(token: Token): Readonly<Record<string, unknown>> {
  const { preview, name, description, cidr_whitelist, packages, scopes } = token;
  const [prefix = ""] = preview.split("…");
  return {
    key: tokenKey(token),
    token: prefix,
    name,
    description,
    created: token.created_at.toISOString(),
    updated: token.created_at.toISOString(),
    expires: token.expires_at?.toISOString() ?? null,
    last_used: token.last_used_at?.toISOString() ?? null,
    readonly: token.readonly,
    bypass_2fa: token.bypass_2fa,
    // Without it, npm would print an empty list.
    cidr_whitelist: cidr_whitelist.length === 0 ? null : cidr_whitelist,
    packages,
    scopes,
  };
}
