import { join } from "node:path";

import semver from "semver";

import { addToList, editYaml } from "../config/files.ts";
import { mapScopeInNpmrc, npmrcTokens } from "./npm.ts";
import type { PackageManager } from "./package-manager.ts";
import type { ReleaseGate } from "./release-gate.ts";
import { queryManager, queryManagerJson } from "./run-manager.ts";

const ageSetting = "minimumReleaseAge";
const excludeSetting = "minimumReleaseAgeExclude";
/** The default since pnpm 11: a day. */
const defaultMinutes = 1440;

type Config = Readonly<Record<string, unknown>>;

/** pnpm. */
export const pnpm: PackageManager = {
  title: "pnpm",
  command: "pnpm",
  installsPeers: true,
  async settings(context, scope) {
    const [version, listedConfig, hasToken] = await Promise.all([
      queryManager(context, "pnpm", ["--version"]),
      queryManagerJson(context, "pnpm", ["config", "list", "--json"]),
      npmrcTokens(context),
    ]);
    if (version === undefined) return undefined;
    const config = (listedConfig ?? {}) as Config;
    const registry = config[`${scope}:registry`];
    return {
      version,
      registry: typeof registry === "string" ? registry : undefined,
      gate: readGate(config, version),
      allowsHttp: () => true,
      hasToken,
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--save-dev"] : []), ...specs],
  mapScope: mapScopeInNpmrc,
  exemption(root, releases) {
    const file = join(root, "pnpm-workspace.yaml");
    const specs = releases.map(({ name, version }) => `${name}@${version}`);
    return {
      file,
      lines: [`${excludeSetting}:`, ...specs.map((spec) => `  - "${spec}"`)],
      async write() {
        await editYaml(file, (document) => addToList(document, excludeSetting, specs));
      },
    };
  },
};

function readGate(config: Config, version: string): ReleaseGate | undefined {
  const configured = config[ageSetting] ?? config["minimum-release-age"];
  const hasDefault = semver.gte(version, "11.0.0");
  const minutes = typeof configured === "number" ? configured : hasDefault ? defaultMinutes : 0;
  if (minutes <= 0) return undefined;
  const strict = config[`${ageSetting}Strict`];
  const excluded = config[excludeSetting];
  return {
    minutes,
    isSoft: typeof strict === "boolean" ? !strict : configured === undefined,
    setting: ageSetting,
    excluded: Array.isArray(excluded) ? excluded.map(String) : [],
  };
}
