import { npm } from "./npm.ts";
import { npmrcTokens } from "./npmrc-settings.ts";
import type { PackageManager } from "./package-manager.ts";
import { queryManager } from "./run-manager.ts";

/** Yarn before version 2. */
export const yarn1: PackageManager = {
  ...npm,
  title: "Yarn 1",
  command: "yarn",
  installsPeers: false,
  async settings(context, scope) {
    const [version, registry, hasToken] = await Promise.all([
      queryManager(context, "yarn", ["--version"]),
      queryManager(context, "yarn", ["--silent", "config", "get", `${scope}:registry`]),
      npmrcTokens(context),
    ]);
    if (version === undefined) return undefined;
    return {
      version,
      registry: registry === "undefined" ? undefined : registry,
      gate: undefined,
      allowsHttp: () => true,
      hasToken,
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--dev"] : []), ...specs],
};
