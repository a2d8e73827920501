import { manifestFile } from "@envs/hub-client";
import { FailureError, paint } from "@envs/terminal";
import { defineCommand } from "citty";

import { type BuildOutcome, buildManifest } from "../manifest/build-manifest.ts";

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
    const outcome = await buildManifest(args.folder ?? ".", { isCheck: args.check === true });
    const { manifest, state, changed, isCompiledBefore } = outcome;
    if (isCompiledBefore)
      process.stderr.write(
        `${paint("yellow", `${manifest.name} was compiled before its sources were last touched. If you changed them, compile it first.`)}\n`,
      );
    if (args.json === true) {
      const { name, package: of, contentHash } = manifest;
      const json = { file: manifestFile, state, changed, name, package: of, contentHash };
      process.stdout.write(`${JSON.stringify(json)}\n`);
      return state === "stale" || state === "missing" ? 1 : 0;
    }
    process.stdout.write(`${told(outcome)}\n`);
    return 0;
  },
});

function told({ state, changed }: BuildOutcome): string {
  if (state === "missing")
    throw new FailureError(`There is no ${manifestFile} yet. Run: envs build`);
  if (state === "stale")
    throw new FailureError(
      `${manifestFile} is out of date (${changed.join(", ") || "edited"}). Run: envs build`,
    );
  const remark = state === "same" ? paint("dim", " as it was") : "";
  return `${paint("green", "✓")} ${manifestFile}${remark}`;
}
