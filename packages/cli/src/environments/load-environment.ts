import { pathToFileURL } from "node:url";

import { ConfigError, type EnvironmentFactory } from "@envs/core";
import { packageRoot, readPackageJson } from "@envs/hub-cli/package-json";
import { FailureError } from "@envs/terminal";

import { findModule } from "./find-module.ts";
import { fileHash, isStale, packageHash } from "./package-content.ts";

/** A loaded environment and its package. */
export interface LoadedEnvironment {
  readonly factory: EnvironmentFactory;
  /** The package name or path on the command line. */
  readonly reference: string;
  /** The module's URL. */
  readonly module: string;
  /** The package's folder; `undefined` for a loose file. */
  readonly root: string | undefined;
  readonly packageName: string | undefined;
  readonly version: string | undefined;
  readonly contentHash: string;
  /** The package's sources are newer than its build. */
  readonly isStale: boolean;
}

/**
 * Finds and imports an environment. Throws a `ConfigError` if it does not exist or its module exports none, and a
 * `FailureError` if the import fails.
 */
export async function loadEnvironment(
  reference: string,
  folder: string = process.cwd(),
): Promise<LoadedEnvironment> {
  const entry = findModule(reference, folder);
  if (entry === undefined)
    throw new ConfigError(
      `Environment ${JSON.stringify(reference)} not found. Install its package (pnpm add @envs/${reference.split("/").at(-1)}), or pass a folder or file such as ./my-environment. To see what is installed: envs list`,
    );
  const module = pathToFileURL(entry.file).href;
  const factory = await importFactory(module, reference);
  const root = entry.isLooseFile ? undefined : packageRoot(entry.file);
  const packageJson = root === undefined ? {} : await readPackageJson(root);
  return {
    factory,
    reference,
    module,
    root,
    packageName: packageJson.name,
    version: packageJson.version,
    contentHash: root === undefined ? await fileHash(entry.file) : await packageHash(root),
    isStale: root !== undefined && (await isStale(root)),
  };
}

async function importFactory(url: string, reference: string): Promise<EnvironmentFactory> {
  let module: unknown;
  try {
    module = await import(url);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = message.includes("Cannot find module") ? "\nBuild the package first." : "";
    throw new FailureError(`Cannot load ${reference}: ${message}${hint}`);
  }
  const factory = (module as { readonly default?: unknown }).default;
  if (isFactory(factory)) return factory;
  throw new ConfigError(
    `${reference} does not export an environment. Its default export must be the result of defineEnvironment().`,
  );
}

function isFactory(value: unknown): value is EnvironmentFactory {
  return (
    typeof value === "function" &&
    "definition" in value &&
    typeof value.definition === "object" &&
    value.definition !== null &&
    "rubric" in value.definition
  );
}
