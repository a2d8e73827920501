import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { importPackage } from "../packages/import-package.ts";
import { type ExactVersion, installVersion } from "./install-version.ts";
import { mapReference } from "./mix-reference.ts";

/** A version of an environment on a hub. */
export interface HubVersion extends ExactVersion {
  /** The hub's address. */
  readonly registry: string;
}

/** Versions on a hub by their reference, such as `@envs/tictactoe@1.2.3`. */
export type HubVersions = Readonly<Record<string, HubVersion>>;

/** Finds a version on the configured hub. */
export type FindVersion = (reference: string) => Promise<HubVersion>;

/** The version that a reference names, such as `@envs/tictactoe@1.2.3`; `undefined` if it names none. */
export async function namedVersion(reference: string): Promise<HubVersion | undefined> {
  if (!/^(?:@[^/@\s]+\/)?[^/@\s]+@\d[^/@\s]*$/.test(reference)) return undefined;
  const hub = await importPackage<{ readonly findVersion: FindVersion }>(
    "hub-cli/commands",
    `The version ${reference}`,
  );
  return await hub.findVersion(reference);
}

/** Installs the versions that another machine has loaded. Returns the reference as this machine loads it. */
export function installVersions(original: string, versions: HubVersions): Promise<string> {
  return mapReference(original, (part) => {
    const version = versions[part];
    return version === undefined ? part : installOnce(version);
  });
}

/** Installs a version once on this machine, and returns the folder of its package. */
export async function installOnce({ registry, ...exact }: HubVersion): Promise<string> {
  const { name, version, integrity } = exact;
  const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const folder = join(caches, "envs", "environments");
  const hash = integrity.replace(/^sha512-/, "").replaceAll(/[^a-z0-9]/gi, "");
  const target = join(folder, `${name.replace("/", "+")}@${version}-${hash.slice(0, 16)}`);
  const path = join(target, "node_modules", name);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const incoming = await mkdtemp(join(folder, "incoming-"));
  try {
    await installVersion(incoming, exact, registry);
    // Renaming fails if another worker of this machine was faster; its installation is the same.
    await rename(incoming, target).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
  return path;
}
