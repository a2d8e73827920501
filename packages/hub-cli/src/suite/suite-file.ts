import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

import { FailureError, UsageError } from "@envs/cli/kit";
import { readPackageJson } from "@envs/cli/kit/environments";
import { readSuiteFile, type SuiteEntry, suiteFile } from "@envs/hub-client";

/** A suite: evaluations whose versions, configs and seeds are locked. */
export interface Suite {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly entries: readonly SuiteEntry[];
}

/** Reads the suite in a folder, or in an installed package. */
export async function readSuite(reference: string): Promise<Suite> {
  const root = suiteFolder(reference);
  const { name, version } = await readPackageJson(root);
  if (name === undefined || version === undefined)
    throw new UsageError(`The package.json of ${root} has no name or no version. Add them.`);
  const { entries, problem } = readSuiteFile(await readFile(join(root, suiteFile), "utf8"));
  if (problem !== undefined)
    throw new UsageError(`${join(root, suiteFile)} is not valid:\n${problem}`);
  return { root, name, version, entries };
}

/** The folder of the installed package of an entry. Throws if another version is installed. */
export async function environmentOf(
  { root, name }: Suite,
  { environment, version }: SuiteEntry,
): Promise<string> {
  const folder = packageFolder(environment, root);
  const installed = folder && (await readPackageJson(folder)).version;
  if (folder !== undefined && installed === version) return folder;
  const problem = installed === undefined ? "is not installed" : `is installed as ${installed}`;
  throw new FailureError(
    `${name} requires ${environment}@${version}, which ${problem}. Install it beside the suite: envs install ${environment}@${version}`,
  );
}

function suiteFolder(reference: string): string {
  const path = resolve(reference);
  if (existsSync(join(path, suiteFile))) return path;
  const installed = packageFolder(reference, process.cwd());
  if (installed !== undefined && existsSync(join(installed, suiteFile))) return installed;
  throw new UsageError(
    `${JSON.stringify(reference)} is not a suite: neither the folder nor an installed package of this name has ${suiteFile}. Create one: envs suite init my-suite`,
  );
}

function packageFolder(name: string, from: string): string | undefined {
  try {
    return dirname(createRequire(join(from, "noop.js")).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
