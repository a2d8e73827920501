import { FailureError, paint, defineCommand, argument, flag } from "@envs/cli/kit";
import { manifestFile } from "@envs/hub-client";

import { type BuildOutcome, buildManifest } from "../manifest/build-manifest.ts";

export const command = defineCommand({
  meta: {
    name: "build",
    description: `Write ${manifestFile}, which describes an environment's package to a hub`,
  },
  args: {
    folder: argument("The folder of the compiled package (default .)"),
    check: flag("Do not write the file; fail if it is missing or out of date"),
    json: flag("Print one JSON object"),
  },
  async run({ args }): Promise<number> {
    const outcome = await buildManifest(args.folder ?? ".", { isCheck: args.check === true });
    const { manifest, state, changed, isBuildStale } = outcome;
    if (isBuildStale)
      process.stderr.write(
        `${paint("yellow", `The build of ${manifest.name} is older than its sources. If you changed them, compile the package first.`)}\n`,
      );
    if (args.json === true) {
      const { name, package: packageInfo, contentHash } = manifest;
      const json = { file: manifestFile, state, changed, name, package: packageInfo, contentHash };
      process.stdout.write(`${JSON.stringify(json)}\n`);
      return state === "stale" || state === "missing" ? 1 : 0;
    }
    process.stdout.write(`${outcomeText(outcome)}\n`);
    return 0;
  },
});

/** Throws a `FailureError` if a check failed. */
function outcomeText({ manifest, state, changed }: BuildOutcome): string {
  if (state === "missing") throw new FailureError(`${manifestFile} is missing. Run: envs build`);
  if (state === "stale")
    throw new FailureError(
      `${manifestFile} is out of date (${changed.join(", ") || "edited"}). Run: envs build`,
    );
  const remark = state === "same" ? paint("dim", " is up to date") : "";
  const problem =
    manifest.bundle !== undefined && "problem" in manifest.bundle
      ? manifest.bundle.problem
      : undefined;
  const note = problem === undefined ? "" : `\n${paint("dim", `Runs only in Node: ${problem}`)}`;
  return `${paint("green", "✓")} ${manifestFile}${remark}${note}${missingExample(manifest)}`;
}

function missingExample({ requires = [], policies, example }: BuildOutcome["manifest"]): string {
  if (requires.length === 0 || policies.length === 0 || example.policy !== undefined) return "";
  const names = requires.map(({ name }) => name).join(", ");
  return `\n${paint("yellow", `The example conversation is only the prompt: the environment needs the sandbox ${names}, which does not work here. See: envs sandbox doctor`)}`;
}
