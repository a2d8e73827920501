import { resolve } from "node:path";

import type { EnvironmentManifest } from "@envs/hub-client";

import { loadEnvironment } from "../environments/load-environment.ts";
import { builtPackage } from "./built-package.ts";
import { makeManifest } from "./make-manifest.ts";
import { checkPacked, compareManifest, writeManifest } from "./manifest-file.ts";

/** What became of a package's manifest. */
export interface BuildOutcome {
  readonly manifest: EnvironmentManifest;
  /** `stale` and `missing` are of a check, which writes nothing. */
  readonly state: "written" | "same" | "stale" | "missing";
  /** The parts in which the file was out of date. */
  readonly changed: readonly string[];
  /** The package's sources are newer than what was compiled of them. */
  readonly isCompiledBefore: boolean;
}

/** Writes the manifest of the package in a folder, or only checks that it is up to date. */
export async function buildManifest(
  folder: string,
  { isCheck = false }: { readonly isCheck?: boolean } = {},
): Promise<BuildOutcome> {
  const built = await builtPackage(resolve(folder));
  const loaded = await loadEnvironment(built.root);
  const manifest = await makeManifest(built, loaded);
  const { state, changed } = compareManifest(built.root, manifest);
  const outcome = { manifest, changed, isCompiledBefore: loaded.isStale };
  if (isCheck && state !== "same") return { ...outcome, state };
  if (state !== "same") writeManifest(built.root, manifest);
  await checkPacked(built.root);
  return { ...outcome, state: state === "same" ? "same" : "written" };
}
