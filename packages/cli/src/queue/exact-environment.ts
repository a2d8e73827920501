import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { readFromHub } from "@envs/hub-cli/queries";

import { type ExactVersion, installVersion } from "../reproduction/install-version.ts";

/** A version of an environment on a hub. */
export interface HubVersion extends ExactVersion {
  /** The hub's address. */
  readonly registry: string;
}

/** An environment as a module of this machine. */
export interface ExactEnvironment {
  readonly reference: string;
  /** `undefined` for a path, and for a package that is installed already. */
  readonly hub: HubVersion | undefined;
}

/** Installs what a reference with a version names, such as `@envs/tictactoe@1.2.3`. Returns other references as they are. */
export async function exactEnvironment(reference: string): Promise<ExactEnvironment> {
  if (!/^(?:@[^/@\s]+\/)?[^/@\s]+@\d[^/@\s]*$/.test(reference))
    return { reference, hub: undefined };
  const hub = await hubVersion(reference);
  return { reference: await installOnce(hub), hub };
}

async function hubVersion(reference: string): Promise<HubVersion> {
  const { hub, published } = await readFromHub(reference, undefined);
  const { version, integrity } = published.version;
  return { name: published.package.name, version, integrity, registry: hub };
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
    // Fails if another worker of this machine was faster: its installation is the same.
    await rename(incoming, target).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
  return path;
}
