import { join } from "node:path";

import semver from "semver";

import { addToList, editYaml } from "../config/context.ts";
import { listedSettings, type ManagerConfig, mapScopeInNpmrc } from "./npm.ts";
import type { GateExemption, PackageManager, Release, ReleaseGate } from "./package-manager.ts";

const ageSetting = "minimumReleaseAge";
const excludeSetting = "minimumReleaseAgeExclude";
/** The default since pnpm 11: a day. */
const defaultMinutes = 1440;

/** pnpm. */
export const pnpm: PackageManager = {
  title: "pnpm",
  command: "pnpm",
  installsPeers: true,
  settings: (context, scope) => listedSettings(context, { command: "pnpm", scope, readGate }),
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--save-dev"] : []), ...specs],
  mapScope: mapScopeInNpmrc,
  exemption: (root, releases) =>
    yamlExemption(join(root, "pnpm-workspace.yaml"), excludeSetting, releases),
};

function readGate(config: ManagerConfig, version: string): ReleaseGate | undefined {
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

/** Adds releases to a list of a YAML file. */
export function yamlExemption(
  file: string,
  setting: string,
  releases: readonly Release[],
): GateExemption {
  const specs = releases.map(({ name, version }) => `${name}@${version}`);
  return {
    file,
    lines: [`${setting}:`, ...specs.map((spec) => `  - "${spec}"`)],
    async write() {
      await editYaml(file, (document) => addToList(document, setting, specs));
    },
  };
}
