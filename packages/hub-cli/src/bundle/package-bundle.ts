import { createHash } from "node:crypto";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { FailureError } from "@envs/cli/kit";
import { bundleFile, type EnvironmentManifest } from "@envs/hub-client";

import { bundleEnvironment } from "./bundle-environment.ts";

/** The bundle of a package, beside the module that exports its environment. */
export interface PackageBundle {
  readonly file: string;
  /** The code; `undefined` if the environment only runs in Node. */
  readonly code: string | undefined;
  /** The entry of the bundle in the manifest. */
  readonly entry: NonNullable<EnvironmentManifest["bundle"]>;
}

/** Bundles the environment that a module of a package exports. */
export async function packageBundle(root: string, module: string): Promise<PackageBundle> {
  const entry = realpathSync(module);
  const file = join(dirname(entry), bundleFile);
  const bundle = await bundleEnvironment(entry, root);
  if (bundle.problem !== undefined) {
    const problem = bundle.problem.replaceAll(/\p{Cc}/gu, " ").slice(0, 1000);
    return { file, code: undefined, entry: { problem } };
  }
  const { code, callsModels } = bundle;
  const path = relative(root, file).replaceAll("\\", "/");
  const sha256 = createHash("sha256").update(code).digest("hex");
  return { file, code, entry: { path, size: Buffer.byteLength(code), sha256, callsModels } };
}

/** Whether the bundle's file is up to date; without a bundle, whether there is no file. */
export function isBundleWritten({ file, code }: PackageBundle): boolean {
  try {
    return readFileSync(file, "utf8") === code;
  } catch {
    return code === undefined;
  }
}

/** Writes the bundle's file; without a bundle, removes that of an earlier build. */
export function writeBundle({ file, code }: PackageBundle): void {
  try {
    if (code === undefined) rmSync(file, { force: true });
    else writeFileSync(file, code);
  } catch (error) {
    throw new FailureError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
