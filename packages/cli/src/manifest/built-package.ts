import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

import { readPackageJson } from "@envs/hub-cli/package-json";
import { FailureError, UsageError } from "@envs/terminal";

/** A package that a manifest can be made for: it has a name and a version, and can be imported. */
export interface BuiltPackage {
  /** Without symbolic links. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** The version of `@envs/core` that it runs with. */
  readonly core: string;
}

/** Reads the package in a folder. Throws an error that says what it lacks. */
export async function builtPackage(folder: string): Promise<BuiltPackage> {
  if (!existsSync(join(folder, "package.json")))
    throw new UsageError(
      `There is no package.json in ${folder}. Run envs build in the folder of an environment's package, or name that folder.`,
    );
  const root = realpathSync(folder);
  const { name, version, description, exports } = await readPackageJson(root);
  const lack = (what: string): UsageError => new UsageError(`The package.json has no ${what}`);
  if (name === undefined) throw lack('name. Add one, such as "name": "@you/my-environment".');
  if (version === undefined) throw lack('version. Add one, such as "version": "0.1.0".');
  if (exports === undefined)
    throw lack(
      'exports, so nobody could import the environment. Add "exports": { ".": "./dist/index.js", "./package.json": "./package.json" }.',
    );
  const require = createRequire(join(root, "noop.js"));
  checkEntry(root, name, require);
  return { root, name, version, description, core: await coreVersion(name, require) };
}

function checkEntry(root: string, name: string, require: NodeJS.Require): void {
  try {
    require.resolve(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
      throw new UsageError(
        'The exports of package.json have no module for ".": add "." with "./dist/index.js", or a "default" beside its other conditions.',
      );
    const missing = /'([^']+)'/.exec(message)?.[1];
    const file = missing === undefined ? "its module" : relative(root, missing);
    throw new FailureError(
      `${name} has not been built: ${file} is missing. Compile it first, as the build script "tsc && envs build" does.`,
    );
  }
}

async function coreVersion(name: string, require: NodeJS.Require): Promise<string> {
  try {
    const { version } = await readPackageJson(dirname(require.resolve("@envs/core/package.json")));
    if (version !== undefined) return version;
  } catch {
    // Told below.
  }
  throw new UsageError(
    `${name} has no @envs/core to run with. Add it to the dependencies and install.`,
  );
}
