import { resolve } from "node:path";

import { manifestFile } from "@envs/hub-client";
import { defineCommand } from "citty";

import { FailureError } from "../exit.ts";
import { loadEnvironment } from "../load-environment.ts";
import { builtPackage } from "../manifest/built-package.ts";
import { makeManifest } from "../manifest/make-manifest.ts";
import { checkPacked, compareManifest, writeManifest } from "../manifest/manifest-file.ts";
import { paint } from "../render/paint.ts";

export const command = defineCommand({
  meta: {
    name: "build",
    description: `Describe an environment's package to the hub, in ${manifestFile}`,
  },
  args: {
    folder: {
      type: "positional",
      required: false,
      description: "The folder of the package, compiled (default .)",
    },
    check: { type: "boolean", description: "Write nothing; fail if the file is out of date" },
    json: { type: "boolean", description: "Print one JSON object" },
  },
  async run({ args }): Promise<number> {
    const built = await builtPackage(resolve(args.folder ?? "."));
    const loaded = await loadEnvironment(built.root);
    if (loaded.isStale)
      process.stderr.write(
        `${paint("yellow", `${built.name} was compiled before its sources were last touched. If you changed them, compile it first.`)}\n`,
      );
    const manifest = await makeManifest(built, loaded);
    const { state: found, changed } = compareManifest(built.root, manifest);
    const isWritten = args.check !== true && found !== "same";
    if (isWritten) writeManifest(built.root, manifest);
    const state = isWritten ? "written" : found;
    const isGood = state === "written" || state === "same";
    if (isGood) await checkPacked(built.root);
    if (args.json === true) {
      const { name, package: of, contentHash } = manifest;
      const outcome = { file: manifestFile, state, changed, name, package: of, contentHash };
      process.stdout.write(`${JSON.stringify(outcome)}\n`);
      return isGood ? 0 : 1;
    }
    if (state === "missing")
      throw new FailureError(`There is no ${manifestFile} yet. Run: envs build`);
    if (state === "stale")
      throw new FailureError(
        `${manifestFile} is out of date (${changed.join(", ") || "edited"}). Run: envs build`,
      );
    const remark = state === "same" ? paint("dim", " as it was") : "";
    process.stdout.write(`${paint("green", "✓")} ${manifestFile}${remark}\n`);
    return 0;
  },
});
