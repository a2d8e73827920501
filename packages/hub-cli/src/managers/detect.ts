import { existsSync } from "node:fs";
import { join } from "node:path";

import { UsageError } from "@envs/cli/kit";
import { detect, getUserAgent } from "package-manager-detector";

import { type CommandContext, findUp, projectRoot, readText } from "../config/context.ts";
import { bun } from "./bun.ts";
import { npm } from "./npm.ts";
import type { PackageManager } from "./package-manager.ts";
import { pnpm } from "./pnpm.ts";
import { queryManager } from "./run-manager.ts";
import { yarn1, yarn4 } from "./yarn.ts";

/** The values of `--client`. */
export const clientNames = ["npm", "pnpm", "yarn", "bun"] as const;

/** The package manager of a project: `client`, else by its lockfile or package.json, else the one that runs us, else npm. */
export async function detectManager(
  context: CommandContext,
  client: string | undefined,
): Promise<PackageManager> {
  const agent = client ?? (await detect({ cwd: context.folder }))?.agent ?? getUserAgent() ?? "npm";
  const [name, generation] = agent.split("@", 2);
  if (name === "npm") return npm;
  if (name === "pnpm") return pnpm;
  if (name === "bun") return bun;
  if (name === "yarn") return generation === "berry" ? yarn4 : await detectYarn(context);
  throw new UsageError(
    client === undefined
      ? `This project uses ${agent}, which envs does not support. Pass --client: ${clientNames.join(", ")}.`
      : `--client is ${JSON.stringify(client)}. It must be one of: ${clientNames.join(", ")}.`,
  );
}

/** The package managers that may be installed. Of Yarn, only the version that runs in this folder. */
export async function candidateManagers(
  context: CommandContext,
): Promise<readonly PackageManager[]> {
  const version = await queryManager(context, "yarn", ["--version"]);
  return [npm, pnpm, version?.startsWith("1.") === true ? yarn1 : yarn4, bun];
}

/** The package manager that publishes a package: in a pnpm workspace pnpm, which replaces `workspace:` ranges by versions. */
export async function detectPublisher(context: CommandContext): Promise<PackageManager> {
  if (findUp(context.folder, "pnpm-workspace.yaml") !== undefined) return pnpm;
  const manager = await detectManager(context, undefined);
  // Yarn 1 prompts for a version before it publishes, and does not support a hub's login.
  return manager === yarn1 ? npm : manager;
}

/** Distinguishes Yarn 1 from Yarn 4 by the files of the project, else by the installed version. */
async function detectYarn(context: CommandContext): Promise<PackageManager> {
  const root = await projectRoot(context.folder);
  if (existsSync(join(root, ".yarnrc.yml"))) return yarn4;
  const lockfile = await readText(join(root, "yarn.lock"));
  if (lockfile !== "") return lockfile.includes("__metadata:") ? yarn4 : yarn1;
  const version = await queryManager(context, "yarn", ["--version"]);
  return version?.startsWith("1.") === true ? yarn1 : yarn4;
}
