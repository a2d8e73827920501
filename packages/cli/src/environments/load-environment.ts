import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ConfigError, type EnvironmentFactory } from "@envs/core";
import { isConfigError, messageOf } from "@envs/core/engine";
import { isolateRollouts } from "@envs/records/node";

import { FailureError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";
import { paint } from "../terminal/text.ts";
import { installOnce, namedVersion } from "./hub-versions.ts";
import { importRecorded } from "./imports.ts";
import { loadFailure } from "./load-failure.ts";
import { loadMix } from "./load-mix.ts";
import type { LoadedEnvironment } from "./loaded-environment.ts";
import { parseMix } from "./mix-reference.ts";
import { environmentNotFound } from "./not-found.ts";
import { fileHash, isSource, isStale, packageHash, sourceHash } from "./package-content.ts";
import { packageRoot, readPackageJson } from "./package-json.ts";
import { showDownloads } from "./show-downloads.ts";
import { importSource } from "./source-package.ts";

/**
 * Finds and imports an environment, or those of a mix such as `mix(tictactoe=0.7, wordle=0.3)`. Installs it first if the reference
 * names a version on a hub, such as `@envs/tictactoe@1.2.3`. Throws a `ConfigError` if it does not exist or its module exports
 * none, and a `FailureError` if the import fails.
 */
export async function loadEnvironment(
  reference: string,
  folder: string = process.cwd(),
): Promise<LoadedEnvironment> {
  const mixed = parseMix(reference);
  if (mixed !== undefined) {
    const parts = mixed.map((part) => loadEnvironment(part.reference, folder));
    return loadMix(
      reference,
      await Promise.all(parts),
      mixed.map(({ weight }) => weight),
    );
  }
  const played = await loadSource(reference, folder);
  if (played !== undefined) return played;
  const version = await namedVersion(reference);
  const entry = findModule(version === undefined ? reference : await installOnce(version), folder);
  if (entry === undefined) throw await environmentNotFound(reference, folder);
  prepareOnce();
  const module = pathToFileURL(entry.file).href;
  const factory = await importFactory(module, reference);
  const root = entry.isLooseFile ? undefined : packageRoot(entry.file);
  const packageJson = root === undefined ? {} : await readPackageJson(root);
  return {
    factory,
    reference,
    versions: version === undefined ? {} : { [reference]: version },
    module,
    root,
    packageName: packageJson.name,
    version: packageJson.version,
    ...(root === undefined
      ? { contentHash: await fileHash(entry.file), isStale: false }
      : await contentOf(root, entry.file)),
  };
}

/**
 * Loads an environment that the package before the colon plays from its own source, such as `harbor:./tasks`; `undefined` for any other
 * reference.
 */
async function loadSource(
  reference: string,
  folder: string,
): Promise<LoadedEnvironment | undefined> {
  const found = await importSource(reference);
  if (found === undefined) return undefined;
  const { module, contentHash } = await found.source(found.place, folder);
  prepareOnce();
  return {
    factory: await importFactory(module, reference),
    reference,
    versions: {},
    module,
    root: undefined,
    packageName: undefined,
    version: undefined,
    contentHash,
    isStale: false,
  };
}

/** The content hash: for sources, that of their build, which a hub knows, unless the sources are newer. */
async function contentOf(
  root: string,
  module: string,
): Promise<Pick<LoadedEnvironment, "contentHash" | "isStale">> {
  const isOld = await isStale(root);
  return isSource(root, module)
    ? { contentHash: await (isOld ? sourceHash : packageHash)(root), isStale: false }
    : { contentHash: await packageHash(root), isStale: isOld };
}

let isPrepared = false;

/** Called before code of an author runs: shows its downloads, and keeps unhandled errors from ending the command. */
function prepareOnce(): void {
  if (isPrepared) return;
  isPrepared = true;
  showDownloads(process.stderr);
  const reported = new Set<string>();
  isolateRollouts({
    onUnattributed(error, hook) {
      const message = messageOf(error);
      if (reported.has(message)) return;
      reported.add(message);
      const text =
        hook === undefined
          ? `No code handles this error, and it belongs to no rollout: ${message}. The command continues.`
          : `${hook}: ${message}. This error came after the end of its rollout, which is not marked as failed.`;
      process.stderr.write(`${paint("yellow", text)}\n`);
    },
  });
}

async function importFactory(url: string, reference: string): Promise<EnvironmentFactory> {
  let module: unknown;
  try {
    module = await importRecorded(url);
  } catch (error) {
    const message = await loadFailure(error, url);
    if (isConfigError(error)) throw new ConfigError(message);
    const hint = /Cannot find module .*[/\\]dist[/\\]/.test(message)
      ? "\nBuild the package first."
      : "";
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

export interface EnvironmentModule {
  readonly file: string;
  /** Whether the reference names the file itself, so that the package around it does not belong to the environment. */
  readonly isLooseFile: boolean;
}

/** Resolves a path, a package name, or the name of a package in our scope. Returns `undefined` if none exists. */
export function findModule(reference: string, folder: string): EnvironmentModule | undefined {
  const path = pathOf(reference, folder);
  if (path !== undefined && !statSync(path).isDirectory()) return { file: path, isLooseFile: true };
  const file = path === undefined ? moduleOfPackage(reference, folder) : moduleInFolder(path);
  return file === undefined ? undefined : { file, isLooseFile: false };
}

/** The absolute path that a reference names; `undefined` for a package. */
export function pathOf(reference: string, folder: string = process.cwd()): string | undefined {
  const path = resolve(folder, reference);
  return /^\.|[/\\]|\.(ts|js|mjs)$/.test(reference) && existsSync(path) ? path : undefined;
}

function moduleOfPackage(reference: string, folder: string): string | undefined {
  const require = createRequire(join(folder, "noop.js"));
  const names = reference.startsWith("@") ? [reference] : [`${ownScope}/${reference}`, reference];
  for (const name of names) {
    try {
      return require.resolve(name);
    } catch {
      // Try the next name.
    }
  }
  const workspaceFolder = join(folder, "environments", reference);
  return existsSync(join(workspaceFolder, "package.json"))
    ? moduleInFolder(workspaceFolder)
    : undefined;
}

/** Resolves the package by its own name, so that its `exports` apply. */
function moduleInFolder(folder: string): string | undefined {
  const require = createRequire(join(folder, "noop.js"));
  try {
    const { name } = require(join(folder, "package.json")) as { name?: string };
    if (name !== undefined) return require.resolve(name);
  } catch {
    // A folder without a package may still have an index file.
  }
  const files = ["index.ts", "index.js", "src/index.ts"].map((file) => join(folder, file));
  return files.find((file) => existsSync(file));
}
