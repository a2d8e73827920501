import { resolve } from "node:path";

import type { EnvironmentManifest } from "@envs/hub-client";

import { loadEnvironment } from "../environments/load-environment.ts";
import { builtPackage } from "./built-package.ts";
import { createManifest } from "./create-manifest.ts";
import { checkPacked, compareManifest, writeManifest } from "./manifest-file.ts";

/** The result of building or checking a manifest. */
export interface BuildOutcome {
  readonly manifest: EnvironmentManifest;
  /** `stale` and `missing` occur only in a check, which does not write the file. */
  readonly state: "written" | "same" | "stale" | "missing";
  /** The manifest's fields that were out of date. */
  readonly changed: readonly string[];
  /** The package's sources are newer than its build. */
  readonly isBuildStale: boolean;
}

/** Writes the manifest of the package in a folder, or with `isCheck` only compares it. */
export async function buildManifest(
  folder: string,
  { isCheck = false }: { readonly isCheck?: boolean } = {},
): Promise<BuildOutcome> {
  const built = await builtPackage(resolve(folder));
  const loaded = await loadEnvironment(built.root);
  const manifest = await createManifest(built, loaded);
  const { state, changed } = compareManifest(built.root, manifest);
  const outcome = { manifest, changed, isBuildStale: loaded.isStale };
  if (isCheck && state !== "same") return { ...outcome, state };
  if (state !== "same") writeManifest(built.root, manifest);
  await checkPacked(built.root);
  return { ...outcome, state: state === "same" ? "same" : "written" };
}
