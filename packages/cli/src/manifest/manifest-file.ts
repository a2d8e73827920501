import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { readPackageJson } from "@envs/hub-cli/package-json";
import {
  type EnvironmentManifest,
  manifestFile,
  manifestLimits,
  readManifest,
} from "@envs/hub-client";
import { FailureError, UsageError } from "@envs/terminal";

import { packedFiles } from "../environments/package-content.ts";

/** How the file in a package compares with the manifest that it should hold. */
export interface Comparison {
  readonly state: "same" | "stale" | "missing";
  /** Which parts differ; all of them, where the file holds no manifest. */
  readonly changed: readonly string[];
}

/** The text of a manifest's file: the same manifest gives the same bytes. */
function manifestText(manifest: EnvironmentManifest): string {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  if (Buffer.byteLength(text) <= manifestLimits.bytes) return text;
  throw new FailureError(
    `The manifest of ${manifest.name} has ${Buffer.byteLength(text)} bytes, and may have ${manifestLimits.bytes}. Shorten descriptions, or the conversation of the first example.`,
  );
}

/** Compares the file in a package with a manifest. */
export function compareManifest(root: string, manifest: EnvironmentManifest): Comparison {
  const bytes = bytesOf(join(root, manifestFile));
  if (bytes === undefined) return { state: "missing", changed: [] };
  if (bytes.equals(Buffer.from(manifestText(manifest)))) return { state: "same", changed: [] };
  const { manifest: old = {} } = readManifest(bytes);
  const parts = Object.keys({ ...manifest, ...old });
  const textOf = (from: object, part: string) =>
    JSON.stringify((from as Readonly<Record<string, unknown>>)[part]);
  return {
    state: "stale",
    changed: parts.filter((part) => textOf(manifest, part) !== textOf(old, part)),
  };
}

/** Writes the file. */
export function writeManifest(root: string, manifest: EnvironmentManifest): void {
  const file = join(root, manifestFile);
  try {
    writeFileSync(file, manifestText(manifest));
  } catch (error) {
    throw new FailureError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

/** Throws a `UsageError` with the line to add if the file would not be in the package's tarball. */
export async function checkPacked(root: string): Promise<void> {
  if ((await packedFiles(root)).includes(manifestFile)) return;
  const { files } = await readPackageJson(root);
  const advice =
    files === undefined
      ? `Add this line to package.json: "files": ["dist", "${manifestFile}"]`
      : `Add "${manifestFile}" to "files" in package.json.`;
  throw new UsageError(
    `${manifestFile} would not be in the package when it is published. ${advice}`,
  );
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new FailureError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
