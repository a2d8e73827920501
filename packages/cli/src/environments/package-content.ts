import { existsSync, readFileSync, realpathSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";

import { packageContentHash } from "@envs/records";

import { type PackageJson, readPackageJson } from "./package-json.ts";
import { plainFiles } from "./plain-files.ts";

/** Lists the files of a package's tarball by npm's rules: `files`, `.npmignore`, `.gitignore` and the files that npm always packs. */
export async function packedFiles(root: string): Promise<readonly string[]> {
  const packageJson = await readPackageJson(root);
  const plain = plainFiles(root, packageJson);
  if (plain !== undefined) return plain;
  const { default: packlist } = await import("npm-packlist");
  return packlist({
    path: root,
    isProjectRoot: true,
    edgesOut: new Map(),
    package: { ...packageJson, bin: normalizedBin(packageJson), bundleDependencies: [] },
  });
}

/** Normalizes paths as npm does before packing: npm-packlist matches `bin/x.js`, but not `./bin/x.js`. */
function normalizedBin({ bin = {} }: PackageJson): Readonly<Record<string, string>> {
  const entries = typeof bin === "string" ? [["", bin] as const] : Object.entries(bin);
  return Object.fromEntries(entries.map(([name, file]) => [name, file.replace(/^\.\//, "")]));
}

/** The content hash of the package in a folder, once it is published. */
export async function packageHash(root: string): Promise<string> {
  return contentHash(root, await packedFiles(root));
}

/** The content hash of the sources of the package in a folder, which run if there is no build. */
export async function sourceHash(root: string): Promise<string> {
  return contentHash(root, withoutBuild(await packedFiles(root)));
}

/** Removes the output of a build. */
export function withoutBuild(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !/^dist[\\/]/.test(path));
}

/** Whether a module belongs to the sources of its package, as in a workspace whose `exports` name them. */
export function isSource(root: string, module: string): boolean {
  return relative(realpathSync(root), realpathSync(module)).split(sep)[0] === "src";
}

/** The content hash of an environment in a single file. */
export function fileHash(file: string): Promise<string> {
  return contentHash(dirname(file), [basename(file)]);
}

/** Synchronous: ten times as fast for many small files, and cannot exhaust file descriptors. */
function contentHash(root: string, paths: readonly string[]): Promise<string> {
  return packageContentHash(paths.map((path) => ({ path, bytes: readFileSync(join(root, path)) })));
}

/**
 * Whether a file in `src` is newer than every file in `dist`. False for an installed package, whose files have the times at which
 * they were unpacked.
 */
export async function isStale(root: string): Promise<boolean> {
  if (root.split(sep).includes("node_modules")) return false;
  const [dist, src] = [join(root, "dist"), join(root, "src")];
  if (!existsSync(dist) || !existsSync(src)) return false;
  return (await lastModified(src)) > (await lastModified(dist));
}

async function lastModified(folder: string): Promise<number> {
  // Without `withFileTypes`: its entries lack their folder in the zip archives of Yarn Plug'n'Play.
  const paths = await readdir(folder, { recursive: true });
  const stats = await Promise.all(
    paths
      // `envs build` writes the bundle, whether the sources were compiled or not.
      .filter((path) => !path.includes("node_modules") && basename(path) !== "envs.bundle.js")
      .map((path) => stat(join(folder, path))),
  );
  const files = stats.filter((entry) => entry.isFile());
  return Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs));
}
