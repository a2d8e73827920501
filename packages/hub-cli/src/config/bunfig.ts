import { FailureError } from "@envs/cli/kit";
import { parse } from "smol-toml";

/** The `[install]` table of a `bunfig.toml`. */
export interface BunInstall {
  readonly scopes?: Readonly<Record<string, unknown>>;
  /** In seconds. */
  readonly minimumReleaseAge?: unknown;
  readonly minimumReleaseAgeExcludes?: unknown;
}

/** Parses the text of a `bunfig.toml`. */
export function parseBunfig(text: string, file: string): BunInstall {
  try {
    return (parse(text)["install"] ?? {}) as BunInstall;
  } catch (error) {
    throw new FailureError(`${file} is not valid TOML: ${(error as Error).message}`);
  }
}

/** Returns the registry of each scope; bun accepts a URL or a table with a `url`. */
export function bunScopes({
  scopes = {},
}: BunInstall): readonly (readonly [scope: string, registry: string])[] {
  return Object.entries(scopes).flatMap(([name, setting]) => {
    const url =
      typeof setting === "object" && setting !== null
        ? (setting as { readonly url?: unknown }).url
        : setting;
    return typeof url === "string" ? [[`@${name.replace(/^@/, "")}`, url] as const] : [];
  });
}
