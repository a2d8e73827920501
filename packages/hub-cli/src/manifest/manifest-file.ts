import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { FailureError, UsageError } from "@envs/cli/kit";
import { readPackageJson, packedFiles } from "@envs/cli/kit/environments";
import {
  type EnvironmentManifest,
  manifestFile,
  manifestLimits,
  readManifest,
} from "@envs/hub-client";

/** The difference between a package's manifest file and its current manifest. */
export interface ManifestComparison {
  readonly state: "same" | "stale" | "missing";
  /** The fields that differ; all of them if the file is not a valid manifest. */
  readonly changed: readonly string[];
}

/** Deterministic: the same manifest gives the same bytes. */
function manifestText(manifest: EnvironmentManifest): string {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  if (Buffer.byteLength(text) <= manifestLimits.bytes) return text;
  throw new FailureError(
    `The manifest of ${manifest.name} has ${Buffer.byteLength(text)} bytes; the limit is ${manifestLimits.bytes}. Shorten descriptions, or the conversation of the first example.`,
  );
}

/** Compares a package's manifest file with a manifest. */
export function compareManifest(root: string, manifest: EnvironmentManifest): ManifestComparison {
  const bytes = readIfExists(join(root, manifestFile));
  if (bytes === undefined) return { state: "missing", changed: [] };
  if (bytes.equals(Buffer.from(manifestText(manifest)))) return { state: "same", changed: [] };
  const { manifest: old = {} } = readManifest(bytes);
  const fields = Object.keys({ ...manifest, ...old });
  const jsonOf = (object: object, field: string) =>
    JSON.stringify((object as Readonly<Record<string, unknown>>)[field]);
  return {
    state: "stale",
    changed: fields.filter((field) => jsonOf(manifest, field) !== jsonOf(old, field)),
  };
}

/** Writes a package's manifest file. */
export function writeManifest(root: string, manifest: EnvironmentManifest): void {
  const file = join(root, manifestFile);
  try {
    writeFileSync(file, manifestText(manifest));
  } catch (error) {
    throw new FailureError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}

/** Throws a `UsageError` with the line to add if npm would not pack the manifest file or the bundle. */
export async function checkPacked(
  root: string,
  { bundle }: Pick<EnvironmentManifest, "bundle">,
): Promise<void> {
  const packed = await packedFiles(root);
  const required = [
    manifestFile,
    ...(bundle !== undefined && "path" in bundle ? [bundle.path] : []),
  ];
  const missing = required.find((path) => !packed.includes(path));
  if (missing === undefined) return;
  const { files } = await readPackageJson(root);
  const advice =
    files === undefined
      ? `Add this line to package.json: "files": ["dist", "${manifestFile}"]`
      : `Add "${missing}" to "files" in package.json.`;
  throw new UsageError(`npm would not include ${missing} in the published package. ${advice}`);
}

function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new FailureError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
