import { type EnvironmentManifest, manifestFile, readManifest } from "@envs/hub-client";
import { contentHashOf, type HashedFile } from "@envs/records";

import { refusal } from "../../platform/errors/hub-error.ts";
import { readJson } from "./json.ts";
import type { PackageManifest } from "./package-json.ts";

/** The environment that a package contains, from its manifest file. */
export interface PackagedEnvironment {
  /** The unparsed manifest file. */
  readonly text: string;
  readonly manifest: EnvironmentManifest;
}

/** Reads a manifest file, and checks that it describes the package that contains it. */
export async function readEnvironment(
  content: Buffer,
  { name, version }: PackageManifest,
  files: readonly HashedFile[],
): Promise<PackagedEnvironment> {
  const reading = readManifest(content);
  const problem = reading.problem ?? readJson(content).problem;
  if (reading.manifest === undefined || problem !== undefined)
    throw refusal(
      "manifest-invalid",
      `${manifestFile} is not a valid manifest. Write it again with envs build.\n${problem}`,
    );
  const { manifest } = reading;
  const described = manifest.package;
  if (described.name !== name || described.version !== version)
    throw refusal(
      "manifest-package",
      `${manifestFile} describes ${described.name}@${described.version}, but package.json describes ${name}@${version}. Write the manifest again with envs build.`,
    );
  const contentHash = await contentHashOf(files);
  if (manifest.contentHash !== contentHash)
    throw refusal(
      "manifest-content",
      `${manifestFile} has the content hash ${manifest.contentHash}, but the hash of the package's files is ${contentHash}. Run envs build before you publish.`,
    );
  checkBundle(manifest, files);
  return { text: content.toString("utf8"), manifest };
}

function checkBundle({ bundle }: EnvironmentManifest, files: readonly HashedFile[]): void {
  if (bundle === undefined || !("path" in bundle)) return;
  const file = files.find(({ path }) => path === bundle.path);
  if (file?.sha256 === bundle.sha256 && file.size === bundle.size) return;
  const actual =
    file === undefined
      ? "the package does not contain that file"
      : `the file has ${file.size} bytes and the SHA-256 ${file.sha256}`;
  throw refusal(
    "manifest-content",
    `${manifestFile} lists ${bundle.path} with ${bundle.size} bytes and the SHA-256 ${bundle.sha256}, but ${actual}. Run envs build before you publish.`,
  );
}
