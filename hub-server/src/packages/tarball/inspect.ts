import { manifestFile } from "@envs/hub-client";

import { refusal } from "../../platform/errors/refusal.ts";
import { tarEntries } from "./archive.ts";
import { digest, tarballDigests, type TarballDigests } from "./digests.ts";
import { environmentOf, type PackagedEnvironment } from "./environment.ts";
import { gunzip } from "./gunzip.ts";
import type { PackageLimits } from "./limits.ts";
import { packageManifest, type PackageManifest } from "./package-json.ts";
import { packagePath } from "./path.ts";
import { type Readme, readmeOf } from "./readme.ts";
import { tree } from "./tree.ts";

/** A file of a package. */
export interface PackagedFile {
  /** The path from the package's root, with slashes. */
  readonly path: string;
  readonly size: number;
  /** The hash of its content, in hexadecimal digits. */
  readonly sha256: string;
  readonly isExecutable: boolean;
}

/** What is in a tarball that passed all checks. */
export interface PackageContents {
  readonly name: string;
  readonly version: string;
  readonly manifest: PackageManifest;
  readonly readme?: Readme;
  readonly files: readonly PackagedFile[];
  readonly fileCount: number;
  /** The bytes of all files together. */
  readonly unpackedSize: number;
  readonly environment?: PackagedEnvironment;
}

/** A tarball that passed all checks, and its hashes. */
export type InspectedPackage = PackageContents & TarballDigests;

interface HeldFile {
  readonly content: Buffer<ArrayBuffer>;
  readonly isExecutable: boolean;
}

/** Looks at a tarball of anybody's, in memory, and runs nothing of it. What it does not accept it refuses with a code. */
export async function inspectTarball(
  bytes: Uint8Array<ArrayBuffer>,
  limits: PackageLimits,
): Promise<InspectedPackage> {
  const contents = await packageContents(bytes, limits);
  return { ...contents, ...(await tarballDigests(bytes)) };
}

/** What {@link inspectTarball} finds, for a caller who has the hashes. */
export async function packageContents(
  bytes: Uint8Array<ArrayBuffer>,
  limits: PackageLimits,
): Promise<PackageContents> {
  if (bytes.length > limits.packed)
    throw refusal(
      "tarball-too-large",
      `The tarball has ${bytes.length} bytes; this hub takes at most ${limits.packed}. Publish fewer or smaller files.`,
    );
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const held = filesOf(await gunzip(packed, limits), limits);
  const packageJson = held.get("package.json");
  if (packageJson === undefined)
    throw refusal(
      "package-json-missing",
      "The tarball has no file package/package.json. Pack the package with npm pack.",
    );
  const manifest = packageManifest(packageJson.content, [...held.keys()], limits);
  const readme = readmeOf(held, limits);
  const files = await described(held);
  const declared = held.get(manifestFile)?.content;
  const environment = declared && (await environmentOf(declared, manifest, files));
  return {
    name: manifest.name,
    version: manifest.version,
    manifest,
    files,
    fileCount: files.length,
    unpackedSize: files.reduce((sum, { size }) => sum + size, 0),
    ...(readme !== undefined && { readme }),
    ...(environment !== undefined && { environment }),
  };
}

function filesOf(archive: Buffer<ArrayBuffer>, limits: PackageLimits): Map<string, HeldFile> {
  const files = new Map<string, HeldFile>();
  const taken = tree();
  let entries = 0;
  for (const { path: raw, isFolder, mode, content } of tarEntries(archive)) {
    entries += 1;
    if (entries > limits.entries)
      throw refusal(
        "tarball-too-many-files",
        `The tarball has more than ${limits.entries} files and folders. Publish fewer, or put data into one file.`,
      );
    const path = packagePath(raw, isFolder, limits);
    if (isFolder) {
      taken.folder(path);
      continue;
    }
    taken.file(path);
    files.set(path, { content, isExecutable: (mode & 0o111) !== 0 });
  }
  return files;
}

/** One after the other: large files are hashed on threads, which all packages share. */
async function described(held: ReadonlyMap<string, HeldFile>): Promise<PackagedFile[]> {
  const files: PackagedFile[] = [];
  for (const [path, { content, isExecutable }] of held) {
    const sha256 = (await digest("SHA-256", content)).toString("hex");
    files.push({ path, size: content.length, sha256, isExecutable });
  }
  return files;
}
