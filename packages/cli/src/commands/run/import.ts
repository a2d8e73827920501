import { resolve } from "node:path";

import { importTrials, type ImportReport } from "../../runs/import-trials.ts";
import { defineCommand } from "../../terminal/command.ts";
import { UsageError } from "../../terminal/errors.ts";
import { argument, flag } from "../../terminal/options.ts";
import { printResult, success } from "../../terminal/output.ts";
import { saveOption } from "../../terminal/shared-options.ts";
import { clean } from "../../terminal/text.ts";
import { nearPath, pathArgument } from "../../text/run-path.ts";

export const command = defineCommand({
  meta: {
    name: "run import",
    description:
      "Save trials of Harbor, or trajectories in ATIF, as runs: to view, filter, compare, export and push them like any other",
  },
  args: {
    path: argument("A job folder of Harbor, one of its trials, or trajectories in ATIF 1.0 to 1.8"),
    again: flag("Import a path a second time"),
    save: saveOption,
    json: flag("Print one JSON object"),
  },
  async run({ args }): Promise<number> {
    if (args.path === undefined)
      throw new UsageError("Missing path. Example: envs run import jobs/2026-01-31__09-45-00");
    const options = { outputs: args.save, isAgain: args.again === true };
    const report = await importTrials(resolve(args.path), options);
    printResult(args.json, report, importText(report));
    return 0;
  },
});

function importText({ runs, problems }: ImportReport): string {
  return [
    ...runs.map(({ environment, model, rollouts, failed }) =>
      success(
        clean(
          `${environment} · ${model}: ${rollouts} ${rollouts === 1 ? "rollout" : "rollouts"}${failed === 0 ? "" : `, ${failed} failed`}`,
        ),
      ),
    ),
    ...problems.map(({ path, problem }) => clean(`skipped ${nearPath(path)}: ${problem}`)),
    "",
    ...runs.map(({ path }) => `envs view ${pathArgument(path)}`),
  ].join("\n");
}
