import * as z from "zod";

/** A continuous integration that signs id tokens. `{org}` in its address is the organisation's id, of which each has its own. */
export interface OidcIssuer {
  readonly type: "github" | "gitlab" | "circleci";
  readonly issuer: string;
  /** Where its public keys are. */
  readonly keys: string;
}

const form =
  "each entry is github, gitlab or circleci, the issuer and the address of its keys (JWKS), with spaces between; entries have commas between";

const entry = z.tuple([z.enum(["github", "gitlab", "circleci"]), z.url(), z.url()]);

/** Issuers as a setting gives them: `gitlab https://gitlab.example.com https://gitlab.example.com/oauth/discovery/keys`. */
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

/** Keys that come over a line which others can write to are anybody's. */
function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && hostname === "localhost");
}
