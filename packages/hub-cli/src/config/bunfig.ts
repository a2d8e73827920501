import { FailureError } from "@envs/terminal";
import { parse } from "smol-toml";

/** What bun's own file says of installing. */
export interface BunInstall {
  readonly scopes?: Readonly<Record<string, unknown>>;
  readonly minimumReleaseAge?: unknown;
  readonly minimumReleaseAgeExcludes?: unknown;
}

/** Reads the text of a `bunfig.toml`. */
export function bunInstall(text: string, file: string): BunInstall {
  try {
    return (parse(text)["install"] ?? {}) as BunInstall;
  } catch (error) {
    throw new FailureError(`${file} is not TOML: ${(error as Error).message}`);
  }
}

/** Where it says that scopes come from. */
export function bunScopes({
  scopes = {},
}: BunInstall): readonly (readonly [scope: string, registry: string])[] {
  return Object.entries(scopes).flatMap(([name, given]) => {
    const url =
      typeof given === "object" && given !== null
        ? (given as { readonly url?: unknown }).url
        : given;
    return typeof url === "string" ? [[`@${name.replace(/^@/, "")}`, url] as const] : [];
  });
}
