import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

import { FailureError, UsageError } from "@envs/cli/kit";
import { readPackageJson } from "@envs/cli/kit/environments";

/** A built package that can be imported. */
export interface BuiltPackage {
  /** The real path, without symbolic links. */
  readonly root: string;
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** The file that users of the published package import. */
  readonly entry: string;
  /** The version of `@envs/core` that the package resolves. */
  readonly core: string;
}

/** Reads the package in a folder. Throws a `UsageError` if its package.json is incomplete, and a `FailureError` if it is not built. */
export async function builtPackage(folder: string): Promise<BuiltPackage> {
  if (!existsSync(join(folder, "package.json")))
    throw new UsageError(
      `No package.json found in ${folder}. Run envs build in the folder of an environment's package, or pass that folder.`,
    );
  const root = realpathSync(folder);
  const { name, version, description, exports, publishConfig } = await readPackageJson(root);
  const missing = (field: string, example: string): UsageError =>
    new UsageError(`The package.json has no "${field}". Add it, for example: ${example}`);
  if (name === undefined) throw missing("name", '"name": "@you/my-environment"');
  if (version === undefined) throw missing("version", '"version": "0.1.0"');
  if (exports === undefined)
    throw missing(
      "exports",
      '"exports": { ".": "./dist/index.js", "./package.json": "./package.json" }',
    );
  const require = createRequire(join(root, "noop.js"));
  const target = entryTarget(publishConfig?.exports);
  const module = target === undefined ? name : join(root, target);
  const entry = resolveEntry(root, { name, module }, require);
  return { root, name, version, description, entry, core: await coreVersion(name, require) };
}

/** The file that `exports` names for an import of the package in Node. */
function entryTarget(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const conditions = exports as Readonly<Record<string, unknown>>;
  return entryTarget(
    conditions["."] ?? conditions["node"] ?? conditions["import"] ?? conditions["default"],
  );
}

function resolveEntry(
  root: string,
  { name, module }: { readonly name: string; readonly module: string },
  require: NodeJS.Require,
): string {
  try {
    return require.resolve(module);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
      throw new UsageError(
        'The "exports" in package.json do not export ".". Add ".": "./dist/index.js", or the condition "default" to its entry.',
      );
    const missingFile = /'([^']+)'/.exec(message)?.[1];
    const file = missingFile === undefined ? "its module" : relative(root, missingFile);
    throw new FailureError(
      `${name} is not built: ${file} is missing. Compile the package before envs build, for example with the build script "tsc && envs build".`,
    );
  }
}

async function coreVersion(name: string, require: NodeJS.Require): Promise<string> {
  try {
    const { version } = await readPackageJson(dirname(require.resolve("@envs/core/package.json")));
    if (version !== undefined) return version;
  } catch {
    // The problem is reported below.
  }
  throw new UsageError(
    `${name} cannot resolve @envs/core. Add it to the dependencies in package.json and install it.`,
  );
}
