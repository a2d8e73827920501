import { join } from "node:path";

import { readText, writeIfChanged } from "../config/files.ts";
import { withLines } from "../config/npmrc.ts";
import { mapScopeInNpmrc, npmrcTokens } from "./npmrc-settings.ts";
import type { PackageManager } from "./package-manager.ts";
import type { ReleaseGate } from "./release-gate.ts";
import { queryManager, queryManagerJson } from "./run-manager.ts";

const minutesPerDay = 1440;
const excludeSetting = "min-release-age-exclude";

type Config = Readonly<Record<string, unknown>>;

/** npm. */
export const npm: PackageManager = {
  title: "npm",
  command: "npm",
  installsPeers: true,
  async settings(context, scope) {
    const [version, listedConfig, hasToken] = await Promise.all([
      queryManager(context, "npm", ["--version"]),
      queryManagerJson(context, "npm", ["config", "list", "--json"]),
      npmrcTokens(context),
    ]);
    if (version === undefined) return undefined;
    const config = (listedConfig ?? {}) as Config;
    const registry = config[`${scope}:registry`];
    return {
      version,
      registry: typeof registry === "string" ? registry : undefined,
      gate: readGate(config),
      allowsHttp: () => true,
      hasToken,
    };
  },
  add: (specs, isDevelopment) => ["install", ...(isDevelopment ? ["--save-dev"] : []), ...specs],
  mapScope: mapScopeInNpmrc,
  exemption(root, releases) {
    const file = join(root, ".npmrc");
    // npm exempts packages, not versions.
    const lines = [...new Set(releases.map(({ name }) => `${excludeSetting}[]=${name}`))];
    return {
      file,
      lines,
      async write() {
        const before = await readText(file);
        await writeIfChanged(file, before, withLines(before, lines));
      },
    };
  },
};

function readGate(config: Config): ReleaseGate | undefined {
  const { before, "min-release-age": days, [excludeSetting]: names } = config;
  const excluded = Array.isArray(names) ? names.map(String) : [];
  const beforeTime = typeof before === "string" ? Date.parse(before) : Number.NaN;
  if (Number.isFinite(beforeTime))
    return {
      minutes: (Date.now() - beforeTime) / 60_000,
      isSoft: false,
      setting: "before",
      excluded,
    };
  return typeof days === "number" && days > 0
    ? { minutes: days * minutesPerDay, isSoft: false, setting: "min-release-age", excluded }
    : undefined;
}
