import { loadConfigFile } from "../../config-file.ts";
import { judgeArguments, judgePlan } from "../../models/load-judge.ts";
import { rescoreRuns } from "../../rescore/rescore-runs.ts";
import { rescoreText } from "../../rescore/rescore-text.ts";
import { defineCommand } from "../../terminal/command.ts";
import { UsageError } from "../../terminal/errors.ts";
import { argument, valueOption, flag } from "../../terminal/options.ts";
import { printResult } from "../../terminal/output.ts";
import { onInterrupt } from "../../terminal/process-events.ts";

export const command = defineCommand({
  meta: {
    name: "run rescore",
    description:
      "Score saved rollouts with the environment's present rubric. Replays their replies without a model, writes a new run, and reports which rewards change and whether models swap places",
  },
  args: {
    run: argument("Folders of runs of one environment. Several are also ranked, before and after"),
    environment: valueOption(
      "The environment: a package or a path (default: the one that the run names)",
      "environment",
    ),
    out: valueOption("Folder of the new run (default: a new folder beside the run)", "folder"),
    ...judgeArguments,
    judge: {
      ...judgeArguments.judge,
      description:
        "Ask this model for judged scores, named as with -m; several with commas vote (default: they stay as stored)",
    },
    json: flag("Print one JSON object"),
  },
  maxPositionals: Infinity,
  async run({ args }): Promise<number> {
    const paths = args._;
    if (paths.length === 0)
      throw new UsageError("Missing run. Example: envs run rescore outputs/evals/<run>");
    const { endpoints } = await loadConfigFile(undefined);
    const interrupt = onInterrupt(() => process.stderr.write("\nStopping.\n"));
    try {
      const { environment, out } = args;
      const judge = judgePlan(args);
      const { signal } = interrupt;
      const report = await rescoreRuns({ paths, environment, out, judge, endpoints, signal });
      printResult(args.json, report, rescoreText(report));
      return report.runs.some(({ counts }) => counts.scored > 0) ? 0 : 1;
    } finally {
      interrupt.dispose();
    }
  },
});
