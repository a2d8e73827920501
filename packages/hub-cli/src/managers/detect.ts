import { existsSync } from "node:fs";
import { join } from "node:path";

import { UsageError } from "@envs/terminal";
import { detect, getUserAgent } from "package-manager-detector";

import { above, type Place, projectRoot, textOf } from "../config/context.ts";
import { bun } from "./bun.ts";
import { npm } from "./npm.ts";
import type { PackageManager } from "./package-manager.ts";
import { pnpm } from "./pnpm.ts";
import { askManager } from "./run-manager.ts";
import { yarn1 } from "./yarn-1.ts";
import { yarn4 } from "./yarn-4.ts";

/** What `--client` takes. */
export const clientNames = ["npm", "pnpm", "yarn", "bun"] as const;

/** The package manager of a project: named, else by its lockfile or package.json, else that which started us, else npm. */
export async function packageManagerOf(
  place: Place,
  named: string | undefined,
): Promise<PackageManager> {
  const found = named ?? (await detect({ cwd: place.folder }))?.agent ?? getUserAgent() ?? "npm";
  const [name, generation] = found.split("@", 2);
  if (name === "npm") return npm;
  if (name === "pnpm") return pnpm;
  if (name === "bun") return bun;
  if (name === "yarn") return generation === "berry" ? yarn4 : await yarnOf(place);
  throw new UsageError(
    named === undefined
      ? `This project is one of ${found}, which envs does not know. Choose another with --client: ${clientNames.join(", ")}`
      : `--client is ${JSON.stringify(named)}. It must be one of: ${clientNames.join(", ")}.`,
  );
}

/** Every package manager that there may be here. Of Yarn, the one that the project would start. */
export async function managersHere(place: Place): Promise<readonly PackageManager[]> {
  const version = await askManager(place, "yarn", ["--version"]);
  return [npm, pnpm, version?.startsWith("1.") === true ? yarn1 : yarn4, bun];
}

/** The package manager that publishes a package: one that writes versions where a workspace has only references, where there is one. */
export async function publisherOf(place: Place): Promise<PackageManager> {
  if (above(place.folder, "pnpm-workspace.yaml") !== undefined) return pnpm;
  const manager = await packageManagerOf(place, undefined);
  // Yarn 1 asks for a version before it publishes, and knows no login of a hub's.
  return manager === yarn1 ? npm : manager;
}

/** What a lockfile does not tell the program itself does. */
async function yarnOf(place: Place): Promise<PackageManager> {
  const root = await projectRoot(place.folder);
  if (existsSync(join(root, ".yarnrc.yml"))) return yarn4;
  const lockfile = await textOf(join(root, "yarn.lock"));
  if (lockfile !== "") return lockfile.includes("__metadata:") ? yarn4 : yarn1;
  const version = await askManager(place, "yarn", ["--version"]);
  return version?.startsWith("1.") === true ? yarn1 : yarn4;
}
