import { loadEnvironment } from "../../environments/load-environment.ts";
import { replayRecorded } from "../../reward-diff/replay-recorded.ts";
import { rewardDiffText } from "../../reward-diff/reward-diff-text.ts";
import { savedRuns } from "../../reward-diff/saved-runs.ts";
import { listOption } from "../../terminal/arguments.ts";
import type { EnvsCommand } from "../../terminal/command.ts";
import { argument, valueOption, flag } from "../../terminal/options.ts";
import { printResult } from "../../terminal/output.ts";
import { saveOption } from "../../terminal/shared-options.ts";

const options = {
  environment: argument("The changed environment: a package or a path (default .)"),
  run: valueOption(
    "Folders of runs that the old version played (default: all of this environment)",
    "folders",
  ),
  save: saveOption,
  json: flag("Print one JSON object"),
} as const;

export const command: EnvsCommand<typeof options> = {
  meta: {
    name: "run replay",
    description:
      "Replay saved runs with a changed environment and report which rewards change, whether models swap places, and which version that requires. It does not call a model",
  },
  args: options,
  async run({ args }): Promise<number> {
    const { factory } = await loadEnvironment(args.environment ?? ".");
    const folders = listOption(args.run) ?? [];
    const runs = await savedRuns(factory.definition.name, { folders, outputs: args.save });
    const diff = await replayRecorded(factory, runs);
    printResult(args.json, diff, rewardDiffText(diff));
    return 0;
  },
};
