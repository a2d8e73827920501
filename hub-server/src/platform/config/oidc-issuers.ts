import * as z from "zod";

import { isSafe } from "./sign-in-providers.ts";

/** A CI service that signs id tokens. `{org}` in the issuer's URL stands for the id of the organisation. */
export interface OidcIssuer {
  readonly type: "github" | "gitlab" | "circleci";
  readonly issuer: string;
  /** The URL of its JWKS (public keys). */
  readonly keys: string;
}

const form =
  "separate entries with commas; an entry is `<type> <issuer URL> <JWKS URL>`, where the type is github, gitlab or circleci and the URLs use https";

const entry = z.tuple([z.enum(["github", "gitlab", "circleci"]), z.url(), z.url()]);

/** Parses a setting such as `gitlab https://gitlab.example.com https://gitlab.example.com/oauth/discovery/keys`. */
export const oidcIssuers = z.string().transform((text, context): readonly OidcIssuer[] =>
  text.split(",").flatMap((each) => {
    const parsed = entry.safeParse(each.trim().split(/\s+/));
    if (parsed.success && parsed.data.slice(1).every(isSafe)) {
      const [type, issuer, keys] = parsed.data;
      return { type, issuer, keys };
    }
    context.addIssue({ code: "custom", message: form });
    return [];
  }),
);
