import { existsSync } from "node:fs";
import { join } from "node:path";

import { clean } from "@envs/terminal";

import { above } from "../config/context.ts";
import { readPackageJson } from "../package-json.ts";
import { peersOf } from "../packages/packument.ts";
import type { NeededPackage } from "./required-packages.ts";

/** What the named packages want the project to have, and it has not, as a package manager takes it. */
export async function missingPeers(
  packages: readonly NeededPackage[],
  folder: string,
): Promise<readonly string[]> {
  const root = above(folder, "package.json") ?? folder;
  const json = existsSync(join(root, "package.json")) ? await readPackageJson(root) : {};
  const known = { ...json.dependencies, ...json.devDependencies, ...json.peerDependencies };
  const named = packages.filter(({ neededBy }) => neededBy === undefined);
  const wanted = named.flatMap(({ packument, release }) => peersOf(packument, release.version));
  const missing = wanted.filter(
    ([name]) => !Object.hasOwn(known, name) && !named.some(({ release }) => release.name === name),
  );
  return [...new Map(missing)].map(([name, range]) => clean(`${name}@${range}`));
}
