import { manifestFile } from "@envs/hub-client";

import { refusal } from "../../platform/errors/hub-error.ts";
import { tarEntries } from "./archive.ts";
import { digest, tarballDigests, type TarballDigests } from "./digests.ts";
import { type PackagedEnvironment, readEnvironment } from "./environment.ts";
import { gunzip } from "./gunzip.ts";
import type { PackageLimits } from "./limits.ts";
import { packageManifest, type PackageManifest } from "./package-json.ts";
import { packagePath, pathSet } from "./path.ts";
import { findReadme, type Readme } from "./readme.ts";

/** A file of a package. */
export interface PackagedFile {
  /** The path from the package's root, with slashes. */
  readonly path: string;
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly isExecutable: boolean;
}

/** The contents of a tarball that passed all checks. */
export interface PackageContents {
  readonly name: string;
  readonly version: string;
  readonly manifest: PackageManifest;
  readonly readme?: Readme | undefined;
  readonly files: readonly PackagedFile[];
  readonly fileCount: number;
  /** Bytes of all files together. */
  readonly unpackedSize: number;
  readonly environment?: PackagedEnvironment | undefined;
}

/** The contents of a tarball that passed all checks, and the hashes of the tarball. */
export type InspectedPackage = PackageContents & TarballDigests;

interface FileEntry {
  readonly content: Buffer<ArrayBuffer>;
  readonly isExecutable: boolean;
}

/** Checks an untrusted tarball in memory, without running its code. Throws a `HubError` for the first violation. */
export async function inspectTarball(
  bytes: Uint8Array<ArrayBuffer>,
  limits: PackageLimits,
): Promise<InspectedPackage> {
  const contents = await packageContents(bytes, limits);
  return { ...contents, ...(await tarballDigests(bytes)) };
}

/** Like {@link inspectTarball}, for a caller that has already computed the hashes. */
export async function packageContents(
  bytes: Uint8Array<ArrayBuffer>,
  limits: PackageLimits,
): Promise<PackageContents> {
  if (bytes.length > limits.packed)
    throw refusal(
      "tarball-too-large",
      `The tarball has ${bytes.length} bytes, more than the limit of ${limits.packed}. Publish fewer or smaller files.`,
    );
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = fileEntries(await gunzip(packed, limits), limits);
  const packageJson = entries.get("package.json");
  if (packageJson === undefined)
    throw refusal(
      "package-json-missing",
      "The tarball does not contain package/package.json. Pack the package with npm pack.",
    );
  const manifest = packageManifest(packageJson.content, [...entries.keys()], limits);
  const readme = findReadme(entries, limits);
  const files = await packagedFiles(entries);
  const manifestContent = entries.get(manifestFile)?.content;
  const environment = manifestContent && (await readEnvironment(manifestContent, manifest, files));
  return {
    name: manifest.name,
    version: manifest.version,
    manifest,
    files,
    fileCount: files.length,
    unpackedSize: files.reduce((sum, { size }) => sum + size, 0),
    readme,
    environment,
  };
}

function fileEntries(archive: Buffer<ArrayBuffer>, limits: PackageLimits): Map<string, FileEntry> {
  const files = new Map<string, FileEntry>();
  const paths = pathSet();
  let count = 0;
  for (const { path: raw, isFolder, mode, content } of tarEntries(archive)) {
    count += 1;
    if (count > limits.entries)
      throw refusal(
        "tarball-too-many-files",
        `The tarball contains more than ${limits.entries} files and folders. Publish fewer, or put data into one file.`,
      );
    const path = packagePath(raw, isFolder, limits);
    if (isFolder) {
      paths.addFolder(path);
      continue;
    }
    paths.addFile(path);
    files.set(path, { content, isExecutable: (mode & 0o111) !== 0 });
  }
  return files;
}

/** Hashes files one after another, because all uploads share the threads for large files. */
async function packagedFiles(entries: ReadonlyMap<string, FileEntry>): Promise<PackagedFile[]> {
  const files: PackagedFile[] = [];
  for (const [path, { content, isExecutable }] of entries) {
    const sha256 = (await digest("SHA-256", content)).toString("hex");
    files.push({ path, size: content.length, sha256, isExecutable });
  }
  return files;
}
