import { join } from "node:path";

import semver from "semver";

import { addToList, editYaml } from "../config/yaml-file.ts";
import { lineInNpmrc, tokensInNpmrc } from "./npmrc-lines.ts";
import type { PackageManager } from "./package-manager.ts";
import type { ReleaseGate } from "./release-gate.ts";
import { askManager, askManagerJson } from "./run-manager.ts";

const setting = "minimumReleaseAge";
const exclude = "minimumReleaseAgeExclude";
/** A day, since version 11. */
const minutesByDefault = 1440;

type Config = Readonly<Record<string, unknown>>;

/** pnpm. */
export const pnpm: PackageManager = {
  title: "pnpm",
  command: "pnpm",
  installsPeers: true,
  async settings(place, scope) {
    const [version, asked, hasToken] = await Promise.all([
      askManager(place, "pnpm", ["--version"]),
      askManagerJson(place, "pnpm", ["config", "list", "--json"]),
      tokensInNpmrc(place),
    ]);
    if (version === undefined) return undefined;
    const config = (asked ?? {}) as Config;
    const registry = config[`${scope}:registry`];
    return {
      version,
      registry: typeof registry === "string" ? registry : undefined,
      gate: gateIn(config, version),
      allowsHttp: () => true,
      hasToken,
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--save-dev"] : []), ...specs],
  useHub: lineInNpmrc,
  exception(root, releases) {
    const file = join(root, "pnpm-workspace.yaml");
    const texts = releases.map(({ name, version }) => `${name}@${version}`);
    return {
      file,
      lines: [`${exclude}:`, ...texts.map((text) => `  - "${text}"`)],
      async write() {
        await editYaml(file, (document) => addToList(document, exclude, texts));
      },
    };
  },
};

function gateIn(config: Config, version: string): ReleaseGate | undefined {
  const given = config[setting] ?? config["minimum-release-age"];
  const hasDefault = semver.gte(version, "11.0.0");
  const minutes = typeof given === "number" ? given : hasDefault ? minutesByDefault : 0;
  if (minutes <= 0) return undefined;
  const strict = config[`${setting}Strict`];
  const excluded = config[exclude];
  return {
    minutes,
    isSoft: typeof strict === "boolean" ? !strict : given === undefined,
    setting,
    excluded: Array.isArray(excluded) ? excluded.map(String) : [],
  };
}
