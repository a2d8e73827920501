import { readManifest } from "@envs/hub-client";

import { storedFiles } from "../packages/files/stored-files.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { ReplayProblem } from "./replay-response.ts";

/** The bundle of a published version. */
export interface BundleCode {
  readonly code: string;
  readonly sha256: string;
  /** The version of the core in the bundle. */
  readonly core: string;
}

/** The maximum size of a bundle: a larger one takes too long to parse in the sandbox. */
const maxBundleBytes = 8 * 2 ** 20;

/** Reads the bundle of a version. Throws a {@link ReplayProblem} if its rollouts cannot be replayed. */
export async function bundleCode(hub: Hub, versionId: number): Promise<BundleCode> {
  const row = await hub.database
    .selectFrom("environments")
    .where("version_id", "=", versionId)
    .select("manifest")
    .executeTakeFirst();
  const { manifest } = readManifest(Buffer.from(JSON.stringify(row?.manifest ?? null)));
  const bundle = manifest?.bundle;
  if (manifest === undefined || bundle === undefined)
    throw new ReplayProblem("The package has no bundle. Build it with a newer envs build.");
  if (!("path" in bundle))
    throw new ReplayProblem(`The environment runs only in Node: ${bundle.problem}`);
  if (bundle.callsModels)
    throw new ReplayProblem(
      "The environment calls a model itself, such as a judge or an opponent.",
    );
  if (bundle.size > maxBundleBytes)
    throw new ReplayProblem(
      `The bundle has ${bundle.size} bytes; the sandbox accepts at most ${maxBundleBytes}.`,
    );
  const files = await storedFiles(hub, versionId);
  const code = files.get(bundle.path)?.toString("utf8");
  if (code === undefined) throw new ReplayProblem("The package lacks the bundle that it lists.");
  return { code, sha256: bundle.sha256, core: manifest.core };
}
