import { join } from "node:path";

import { textOf } from "../config/context.ts";
import { writeChanged } from "../config/npmrc-file.ts";
import { withLines } from "../config/npmrc.ts";
import { lineInNpmrc, tokensInNpmrc } from "./npmrc-lines.ts";
import type { PackageManager } from "./package-manager.ts";
import type { ReleaseGate } from "./release-gate.ts";
import { askManager, askManagerJson } from "./run-manager.ts";

const minutesADay = 1440;
const exclude = "min-release-age-exclude";

type Config = Readonly<Record<string, unknown>>;

/** npm. */
export const npm: PackageManager = {
  title: "npm",
  command: "npm",
  installsPeers: true,
  async settings(place, scope) {
    const [version, asked, hasToken] = await Promise.all([
      askManager(place, "npm", ["--version"]),
      askManagerJson(place, "npm", ["config", "list", "--json"]),
      tokensInNpmrc(place),
    ]);
    if (version === undefined) return undefined;
    const config = (asked ?? {}) as Config;
    const registry = config[`${scope}:registry`];
    return {
      version,
      registry: typeof registry === "string" ? registry : undefined,
      gate: gateIn(config),
      allowsHttp: () => true,
      hasToken,
    };
  },
  add: (specs, isDevelopment) => ["install", ...(isDevelopment ? ["--save-dev"] : []), ...specs],
  useHub: lineInNpmrc,
  exception(root, releases) {
    const file = join(root, ".npmrc");
    // It knows names, not versions.
    const lines = [...new Set(releases.map(({ name }) => `${exclude}[]=${name}`))];
    return {
      file,
      lines,
      async write() {
        const before = await textOf(file);
        await writeChanged(file, before, withLines(before, lines));
      },
    };
  },
};

function gateIn(config: Config): ReleaseGate | undefined {
  const { before, "min-release-age": days, [exclude]: names } = config;
  const excluded = Array.isArray(names) ? names.map(String) : [];
  const since = typeof before === "string" ? Date.parse(before) : Number.NaN;
  if (Number.isFinite(since))
    return {
      minutes: (Date.now() - since) / 60_000,
      isSoft: false,
      setting: "before",
      excluded,
    };
  return typeof days === "number" && days > 0
    ? { minutes: days * minutesADay, isSoft: false, setting: "min-release-age", excluded }
    : undefined;
}
