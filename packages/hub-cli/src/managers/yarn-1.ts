import { npm } from "./npm.ts";
import { lineInNpmrc, tokensInNpmrc } from "./npmrc-lines.ts";
import type { PackageManager } from "./package-manager.ts";
import { askManager } from "./run-manager.ts";

/** Yarn before version 2. */
export const yarn1: PackageManager = {
  ...npm,
  title: "Yarn 1",
  command: "yarn",
  installsPeers: false,
  async settings(place, scope) {
    const [version, registry, hasToken] = await Promise.all([
      askManager(place, "yarn", ["--version"]),
      askManager(place, "yarn", ["--silent", "config", "get", `${scope}:registry`]),
      tokensInNpmrc(place),
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
  useHub: lineInNpmrc,
};
