import {
  contentHashOf,
  type EnvironmentManifest,
  type HashedFile,
  manifestFile,
  readManifest,
} from "@envs/hub-client";

import { refusal } from "../../platform/errors/refusal.ts";
import { readJson } from "./json.ts";
import type { PackageManifest } from "./package-json.ts";

/** What a package says of the environment in it. */
export interface PackagedEnvironment {
  /** The manifest file as it is. */
  readonly text: string;
  readonly manifest: EnvironmentManifest;
}

/** The environment of the manifest file with this content, checked against the package that it came in. */
export async function environmentOf(
  content: Buffer,
  { name, version }: PackageManifest,
  files: readonly HashedFile[],
): Promise<PackagedEnvironment> {
  const reading = readManifest(content);
  const problem = reading.problem ?? readJson(content).problem;
  if (reading.manifest === undefined || problem !== undefined)
    throw refusal(
      "manifest-invalid",
      `${manifestFile} is not a manifest. Write it again with envs build.\n${problem}`,
    );
  const { manifest } = reading;
  const { name: ofName, version: ofVersion } = manifest.package;
  if (ofName !== name || ofVersion !== version)
    throw refusal(
      "manifest-package",
      `${manifestFile} is of ${ofName}@${ofVersion}, package.json of ${name}@${version}. Write it again with envs build.`,
    );
  const contentHash = await contentHashOf(files);
  if (manifest.contentHash !== contentHash)
    throw refusal(
      "manifest-content",
      `${manifestFile} was made of other files: it has the content hash ${manifest.contentHash}, the package ${contentHash}. Run envs build before you publish.`,
    );
  return { text: content.toString("utf8"), manifest };
}
