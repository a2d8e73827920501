import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ConfigError, type EnvironmentFactory } from "@envs/core";

import { FailureError } from "./exit.ts";

/** An environment's package, loaded. */
export interface LoadedEnvironment {
  readonly factory: EnvironmentFactory;
  /** What the person wrote. */
  readonly reference: string;
  readonly packageName: string | undefined;
  readonly version: string | undefined;
  /** SHA-256 over the package's built files, each with its path and length. */
  readonly contentHash: string;
}

/** Finds an environment by package name, by its name within `@envs/`, or by the path of a folder or file. */
export async function loadEnvironment(
  reference: string,
  from: string = process.cwd(),
): Promise<LoadedEnvironment> {
  const entry = entryOf(reference, from);
  if (entry === undefined)
    throw new ConfigError(
      `There is no environment ${JSON.stringify(reference)} here. Install its package (pnpm add @envs/${reference.split("/").at(-1)}), or name a folder or file such as ./my-environment. See: envs list`,
    );
  let module: unknown;
  try {
    module = await import(pathToFileURL(entry).href);
  } catch (error) {
    throw new FailureError(`${reference} could not be loaded: ${explainImport(error)}`);
  }
  const factory = (module as { readonly default?: unknown }).default;
  if (!isFactory(factory))
    throw new ConfigError(
      `${reference} is a package without an environment: its default export must be what defineEnvironment() returns.`,
    );
  const root = packageRoot(entry);
  const manifest = root === undefined ? {} : await readManifest(root);
  return {
    factory,
    reference,
    packageName: manifest.name,
    version: manifest.version,
    contentHash: await hashOf(root ?? entry),
  };
}

function entryOf(reference: string, from: string): string | undefined {
  const path = resolve(from, reference);
  const looksLikePath = /^[./]|[\\]|\.(ts|js|mjs)$/.test(reference);
  if (looksLikePath && existsSync(path))
    return statSync(path).isDirectory() ? entryOfFolder(path) : path;
  const names = reference.startsWith("@") ? [reference] : [`@envs/${reference}`, reference];
  for (const name of names) {
    try {
      return createRequire(join(from, "noop.js")).resolve(name);
    } catch {
      // The next name may be the one.
    }
  }
  const inWorkspace = join(from, "environments", reference);
  return existsSync(join(inWorkspace, "package.json")) ? entryOfFolder(inWorkspace) : undefined;
}

/** A package can name itself: so its own `exports` decide. */
function entryOfFolder(folder: string): string | undefined {
  const require = createRequire(join(folder, "noop.js"));
  try {
    const { name } = require(join(folder, "package.json")) as { name?: string };
    if (name !== undefined) return require.resolve(name);
  } catch {
    // A folder without a package may still have an index.
  }
  return ["index.ts", "index.js", "src/index.ts"]
    .map((file) => join(folder, file))
    .find(existsSync);
}

function explainImport(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /Cannot find module/.test(message) ? `${message}\nHas the package been built?` : message;
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

/** The nearest folder above a file that has a package.json. */
export function packageRoot(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return undefined;
}

export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
}

/** Reads a folder's package.json. */
export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const files = statSync(path).isDirectory() ? await builtFiles(path) : [path];
  for (const file of files) {
    const bytes = await readFile(file);
    hash.update(`${relative(path, file)}\n${bytes.length}\n`).update(bytes);
  }
  return `sha256-${hash.digest("hex")}`;
}

async function builtFiles(root: string): Promise<string[]> {
  const folders = ["dist", "src"].map((name) => join(root, name));
  const folder = folders.find(existsSync) ?? root;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".tsbuildinfo"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules"));
  return [join(root, "package.json"), ...files].toSorted();
}
