import { readFileSync } from "node:fs";

import * as z from "zod";

/** A service with which users sign in: GitHub, or an OpenID provider. */
export interface SignInProvider {
  /** Part of the redirect URL, so it must not change. GitHub has the id `github`. */
  readonly id: string;
  /** The URL of the issuer, without a slash at its end. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on buttons. */
  readonly label: string;
}

const form =
  "separate entries with commas; an entry is `<id> <issuer URL> <client id> <client secret or file:<path>> [<label>]`, where the id has lower-case letters, digits and hyphens, and the URL uses https";

const entry = z.tuple([
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/),
  z.url(),
  z.string(),
  z.string(),
]);

/** Parses a setting such as `github https://github.com Iv1.8a61 file:/run/secrets/github`. */
export const signInProviders = z.string().transform((text, context): readonly SignInProvider[] => {
  const fail = (message: string): [] => {
    context.addIssue({ code: "custom", message });
    return [];
  };
  const providers = text.split(",").flatMap((each): readonly SignInProvider[] => {
    const words = each.trim().split(/\s+/);
    const parsed = entry.safeParse(words.slice(0, 4));
    if (!parsed.success || !isSafe(parsed.data[1])) return fail(form);
    const [id, issuer, clientId, secret] = parsed.data;
    const clientSecret = readSecret(secret);
    if (clientSecret === undefined)
      return fail(`cannot read the client secret of ${id} from ${secret}, or the file is empty`);
    const label = words.slice(4).join(" ") || labelOf(id);
    return [{ id, issuer: issuer.replace(/\/$/, ""), clientId, clientSecret, label }];
  });
  const ids = providers.map(({ id }) => id);
  return new Set(ids).size === ids.length ? providers : fail("two entries have the same id");
});

/** Whether an address is safe for fetching keys and claims: over plain HTTP, they could be an attacker's. Tests use HTTP on localhost. */
export function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && hostname === "localhost");
}

function readSecret(text: string): string | undefined {
  const [, path] = /^file:(.+)$/.exec(text) ?? [];
  if (path === undefined) return text;
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

function labelOf(id: string): string {
  return id === "github" ? "GitHub" : `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}
