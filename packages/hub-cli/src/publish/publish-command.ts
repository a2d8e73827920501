import type { StoredToken } from "../connection/token-store.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { scopeOf } from "../packages/find-package.ts";

/** How to publish a package. */
export interface PublishOptions {
  readonly name: string;
  readonly url: string;
  readonly token: StoredToken | undefined;
  readonly tag: string | undefined;
  readonly access: string | undefined;
  readonly otp: string | undefined;
  readonly isDryRun: boolean;
  /** Whether the version waits for an approval. */
  readonly isStaged: boolean;
}

/** A command line and its environment variables. Other users of a machine can read arguments, so the token is a variable. */
export interface PublishCommand {
  readonly words: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
}

/** Builds the command line with which a package manager publishes to a hub. */
export function publishCommandLine(
  { title }: Pick<PackageManager, "title">,
  { name, url, token, tag, access, otp, isDryRun, isStaged }: PublishOptions,
): PublishCommand {
  const options = [
    ...(tag === undefined ? [] : ["--tag", tag]),
    ...(access === undefined ? [] : ["--access", access]),
    ...(otp === undefined ? [] : ["--otp", otp]),
    ...(isDryRun ? ["--dry-run"] : []),
  ];
  const { hostname, protocol } = new URL(url);
  const stage = isStaged ? ["stage"] : [];
  if (title === "Yarn 4")
    return {
      words: ["yarn", "npm", "publish", ...options, ...(isStaged ? ["--staged"] : [])],
      variables: {
        YARN_NPM_PUBLISH_REGISTRY: url,
        ...(token !== undefined && { YARN_NPM_AUTH_TOKEN: token.token }),
        ...(protocol === "http:" && { YARN_UNSAFE_HTTP_WHITELIST: hostname }),
      },
    };
  if (title === "pnpm")
    return {
      words: ["pnpm", ...stage, "publish", ...options, "--registry", `${url}/`],
      variables: {},
    };
  if (title === "bun") return { words: ["bun", "publish", ...options], variables: {} };
  const scope = scopeOf(name);
  const registry = scope === undefined ? "--registry" : `--${scope}:registry`;
  return { words: ["npm", ...stage, "publish", ...options, `${registry}=${url}/`], variables: {} };
}
