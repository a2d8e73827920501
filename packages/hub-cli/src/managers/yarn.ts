import { join } from "node:path";

import { addToList, type CommandContext, editYaml } from "../config/context.ts";
import { npm, npmrcTokens } from "./npm.ts";
import { matchesPattern, type PackageManager, type ReleaseGate } from "./package-manager.ts";
import { yamlExemption } from "./pnpm.ts";
import { queryManager, queryManagerJson } from "./run-manager.ts";

const gateSetting = "npmMinimalAgeGate";
const excludeSetting = "npmPreapprovedPackages";
const httpSetting = "unsafeHttpWhitelist";

interface YarnScope {
  readonly npmRegistryServer?: unknown;
  readonly npmAuthToken?: unknown;
  readonly npmMinimalAgeGate?: unknown;
}

/** Yarn since version 2, which does not read `.npmrc`. */
export const yarn4: PackageManager = {
  title: "Yarn 4",
  command: "yarn",
  installsPeers: false,
  async settings(context, scope) {
    const [version, scopes, settings] = await Promise.all([
      queryManager(context, "yarn", ["--version"]),
      querySetting(context, "npmScopes"),
      querySettings(context, [gateSetting, excludeSetting, httpSetting]),
    ]);
    if (version === undefined) return undefined;
    const ownSettings = ((scopes ?? {}) as Readonly<Record<string, YarnScope>>)[scope.slice(1)];
    const registry = ownSettings?.npmRegistryServer;
    // A scope's own gate overrides the general one.
    const minutes = ownSettings?.npmMinimalAgeGate ?? settings.get(gateSetting);
    return {
      version,
      registry: typeof registry === "string" ? registry : undefined,
      gate: gateOf(minutes, stringsIn(settings.get(excludeSetting))),
      allowsHttp: (host) =>
        stringsIn(settings.get(httpSetting)).some((pattern) => matchesPattern(pattern, host)),
      // Yarn does not report which registry a token is for.
      hasToken: () => (typeof ownSettings?.npmAuthToken === "string" ? true : undefined),
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--dev"] : []), ...specs],
  async mapScope(root, { scope, url }) {
    const file = join(root, ".yarnrc.yml");
    const { protocol, hostname } = new URL(url);
    const isChanged = await editYaml(file, (document) => {
      document.setIn(["npmScopes", scope.slice(1), "npmRegistryServer"], url);
      if (protocol === "http:") addToList(document, httpSetting, [hostname]);
    });
    return isChanged ? [file] : [];
  },
  exemption: (root, releases) => yamlExemption(join(root, ".yarnrc.yml"), excludeSetting, releases),
};

/** The access to pass to `yarn npm publish`: without a setting, Yarn would make a scoped package private. */
export async function defaultYarnAccess(
  context: CommandContext,
  isInPackageJson: boolean,
): Promise<string | undefined> {
  if (isInPackageJson) return undefined;
  return (await querySetting(context, "npmPublishAccess")) === null ? "public" : undefined;
}

/** Reads several settings with one start of Yarn. Works only for settings that are not maps. */
async function querySettings(
  context: CommandContext,
  names: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const output = (await queryManager(context, "yarn", ["config", ...names, "--json"])) ?? "";
  return new Map(
    output
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { readonly key: string; readonly effective: unknown })
      .map(({ key, effective }) => [key, effective]),
  );
}

async function querySetting(context: CommandContext, name: string): Promise<unknown> {
  return await queryManagerJson(context, "yarn", ["config", "get", name, "--json"]);
}

function gateOf(minutes: unknown, excluded: readonly string[]): ReleaseGate | undefined {
  return typeof minutes === "number" && minutes > 0
    ? { minutes, isSoft: false, setting: gateSetting, excluded }
    : undefined;
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

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
