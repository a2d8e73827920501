import type { FoundToken } from "../connection/token-store.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { scopeOf } from "../packages/package-spec.ts";

/** How a package is to be published. */
export interface Publishing {
  readonly name: string;
  readonly url: string;
  readonly token: FoundToken | undefined;
  readonly tag: string | undefined;
  readonly access: string | undefined;
  readonly otp: string | undefined;
  readonly isDryRun: boolean;
  /** Held until somebody approves it. */
  readonly isStaged: boolean;
}

/** What to start, and with which variables. The token is never an argument: everybody on a machine can read those. */
export interface PublishWords {
  readonly words: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
}

/** How a package manager publishes to a hub. */
export function publishWords(
  { title }: Pick<PackageManager, "title">,
  publishing: Publishing,
): PublishWords {
  const { name, url, token, tag, access, otp, isDryRun, isStaged } = publishing;
  const scope = scopeOf(name);
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
  const registry = scope === undefined ? "--registry" : `--${scope}:registry`;
  return { words: ["npm", ...stage, "publish", ...options, `${registry}=${url}/`], variables: {} };
}
