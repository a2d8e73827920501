import { join } from "node:path";

import type { Place } from "../config/context.ts";
import { addToList, editYaml } from "../config/yaml-file.ts";
import { matchesPattern } from "./name-pattern.ts";
import type { PackageManager } from "./package-manager.ts";
import type { ReleaseGate } from "./release-gate.ts";
import { askManager, askManagerJson } from "./run-manager.ts";

const ageGate = "npmMinimalAgeGate";
const exclude = "npmPreapprovedPackages";
const allowHttp = "unsafeHttpWhitelist";

interface YarnScope {
  readonly npmRegistryServer?: unknown;
  readonly npmAuthToken?: unknown;
  readonly npmMinimalAgeGate?: unknown;
}

/** Yarn from version 2 on, which reads no `.npmrc`. */
export const yarn4: PackageManager = {
  title: "Yarn 4",
  command: "yarn",
  installsPeers: false,
  async settings(place, scope) {
    const [version, scopes, settings] = await Promise.all([
      askManager(place, "yarn", ["--version"]),
      setting(place, "npmScopes"),
      effective(place, [ageGate, exclude, allowHttp]),
    ]);
    if (version === undefined) return undefined;
    const own = ((scopes ?? {}) as Readonly<Record<string, YarnScope>>)[scope.slice(1)];
    const registry = own?.npmRegistryServer;
    return {
      version,
      registry: typeof registry === "string" ? registry : undefined,
      gate: gateOf(own?.npmMinimalAgeGate ?? settings.get(ageGate), strings(settings.get(exclude))),
      allowsHttp: (host) =>
        strings(settings.get(allowHttp)).some((pattern) => matchesPattern(pattern, host)),
      // It tells nobody which registry a token is for.
      hasToken: () => (typeof own?.npmAuthToken === "string" ? true : undefined),
    };
  },
  add: (specs, isDevelopment) => ["add", ...(isDevelopment ? ["--dev"] : []), ...specs],
  async useHub(root, { scope, url }) {
    const file = join(root, ".yarnrc.yml");
    const { protocol, hostname } = new URL(url);
    const isWritten = await editYaml(file, (document) => {
      document.setIn(["npmScopes", scope.slice(1), "npmRegistryServer"], url);
      if (protocol === "http:") addToList(document, allowHttp, [hostname]);
    });
    return isWritten ? [file] : [];
  },
  exception(root, releases) {
    const file = join(root, ".yarnrc.yml");
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

/** Who may read what it publishes. Where nothing says so, it would make every package of a scope private. */
export async function yarnAccess(
  place: Place,
  isInPackageJson: boolean,
): Promise<string | undefined> {
  if (isInPackageJson) return undefined;
  return (await setting(place, "npmPublishAccess")) === null ? "public" : undefined;
}

/** Settings that are no maps, all with one start of Yarn. */
async function effective(
  place: Place,
  names: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const printed = (await askManager(place, "yarn", ["config", ...names, "--json"])) ?? "";
  return new Map(
    printed
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { readonly key: string; readonly effective: unknown })
      .map(({ key, effective }) => [key, effective]),
  );
}

async function setting(place: Place, name: string): Promise<unknown> {
  return await askManagerJson(place, "yarn", ["config", "get", name, "--json"]);
}

/** What comes with a scope's settings is of the scope, also where the setting above it says otherwise. */
function gateOf(minutes: unknown, excluded: readonly string[]): ReleaseGate | undefined {
  return typeof minutes === "number" && minutes > 0
    ? { minutes, isSoft: false, setting: ageGate, excluded }
    : undefined;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
