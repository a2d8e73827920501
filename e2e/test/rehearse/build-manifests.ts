// Writes the manifests of all environments of the workspace that contains this file, in one process: `envs build` would start for each.
import { globSync } from "node:fs";
import { dirname, join } from "node:path";

import { buildManifest } from "../../../packages/hub-cli/src/manifest/build-manifest.ts";

const root = join(import.meta.dirname, "../../..");

for (const file of globSync("environments/*/package.json", { cwd: root }))
  await buildManifest(join(root, dirname(file)));
