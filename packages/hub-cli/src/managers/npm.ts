import { join } from "node:path";

import {
  type CommandContext,
  projectRoot,
  readText,
  userNpmrcPath,
  writeIfChanged,
} from "../config/context.ts";
import { parseNpmrc, withLines, writeSetting } from "../config/npmrc.ts";
import { tokenKey } from "../connection/token-store.ts";
import type {
  ManagerSettings,
  PackageManager,
  ReleaseGate,
  ScopeMapping,
} from "./package-manager.ts";
import { queryManager, queryManagerJson } from "./run-manager.ts";

const minutesPerDay = 1440;
const excludeSetting = "min-release-age-exclude";

/** The output of `config list --json`. */
export type ManagerConfig = Readonly<Record<string, unknown>>;

/** npm. */
export const npm: PackageManager = {
  title: "npm",
  command: "npm",
  installsPeers: true,
  settings: (context, scope) => listedSettings(context, { command: "npm", scope, readGate }),
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

function readGate(config: ManagerConfig): ReleaseGate | undefined {
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

/** Reads the settings that `npm config list` and `pnpm config list` print. */
export async function listedSettings(
  context: CommandContext,
  {
    command,
    scope,
    readGate,
  }: {
    readonly command: string;
    readonly scope: string;
    readonly readGate: (config: ManagerConfig, version: string) => ReleaseGate | undefined;
  },
): Promise<ManagerSettings | undefined> {
  const [version, listedConfig, hasToken] = await Promise.all([
    queryManager(context, command, ["--version"]),
    queryManagerJson(context, command, ["config", "list", "--json"]),
    npmrcTokens(context),
  ]);
  if (version === undefined) return undefined;
  const config = (listedConfig ?? {}) as ManagerConfig;
  const registry = config[`${scope}:registry`];
  return {
    version,
    registry: typeof registry === "string" ? registry : undefined,
    gate: readGate(config, version),
    allowsHttp: () => true,
    hasToken,
  };
}

/** Maps a scope to a hub in the project's `.npmrc`, which all package managers but Yarn 4 read. */
export async function mapScopeInNpmrc(
  root: string,
  { scope, url }: ScopeMapping,
): Promise<readonly string[]> {
  const file = join(root, ".npmrc");
  return (await writeSetting(file, `${scope}:registry`, `${url}/`)) ? [file] : [];
}

/** Reads the user's and the project's `.npmrc`. Returns whether one of them has a token for a registry. */
export async function npmrcTokens(context: CommandContext): Promise<(url: string) => boolean> {
  const files = [join(await projectRoot(context.folder), ".npmrc"), userNpmrcPath(context)];
  const texts = await Promise.all(files.map((file) => readText(file)));
  const settings = texts.map((text) => parseNpmrc(text, context.variables));
  return (url) =>
    settings.some((fileSettings) => {
      const token = fileSettings.get(tokenKey(url)) ?? "";
      return token !== "" && !token.includes("${");
    });
}
