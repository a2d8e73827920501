import { pathToFileURL } from "node:url";

import { ConfigError, type EnvironmentFactory } from "@envs/core";
import { packageRoot, readPackageJson } from "@envs/hub-cli/package-json";
import { FailureError } from "@envs/terminal";

import { findEntry } from "./find-module.ts";
import { fileHash, isStale, packageHash } from "./package-content.ts";

/** An environment's package, loaded. */
export interface LoadedEnvironment {
  readonly factory: EnvironmentFactory;
  /** What the person wrote. */
  readonly reference: string;
  /** The URL of the module. */
  readonly module: string;
  /** The folder of the package; none of a loose file. */
  readonly root: string | undefined;
  readonly packageName: string | undefined;
  readonly version: string | undefined;
  readonly contentHash: string;
  /** The package's sources are newer than what was built of them, and it is the built that runs. */
  readonly isStale: boolean;
}

/** Finds and loads an environment. Throws an error that says what to do if there is none, or it is broken. */
export async function loadEnvironment(
  reference: string,
  from: string = process.cwd(),
): Promise<LoadedEnvironment> {
  const entry = findEntry(reference, from);
  if (entry === undefined)
    throw new ConfigError(
      `There is no environment ${JSON.stringify(reference)} here. Install its package (pnpm add @envs/${reference.split("/").at(-1)}), or name a folder or file such as ./my-environment. See: envs list`,
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
    const hint = message.includes("Cannot find module") ? "\nHas the package been built?" : "";
    throw new FailureError(`${reference} could not be loaded: ${message}${hint}`);
  }
  const factory = (module as { readonly default?: unknown }).default;
  if (isFactory(factory)) return factory;
  throw new ConfigError(
    `${reference} is a package without an environment: its default export must be what defineEnvironment() returns.`,
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
