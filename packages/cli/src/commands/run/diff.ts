import { resolve } from "node:path";

import { readRun } from "@envs/records/node";

import { compareRuns } from "../../compare/compare-runs.ts";
import { comparisonMarkdown, comparisonText } from "../../compare/comparison-text.ts";
import { numberOption } from "../../terminal/arguments.ts";
import { defineCommand } from "../../terminal/command.ts";
import { UsageError } from "../../terminal/errors.ts";
import { argument, valueOption, flag } from "../../terminal/options.ts";
import { printResult } from "../../terminal/output.ts";

export const command = defineCommand({
  meta: {
    name: "run diff",
    description:
      "Compare two runs of an environment on the examples that both have scored, with a bootstrap by example. The exit code is 1 if the second run is worse",
  },
  args: {
    before: argument("The folder of the baseline"),
    after: argument("The folder of the run to judge"),
    score: {
      type: "string",
      default: "reward",
      description: "The value that decides: reward or a score (default reward)",
      valueHint: "name",
    },
    "max-drop": valueOption(
      "Fail unless the interval rules out a greater drop, such as 0.02 (default: fail only if the interval rules out an equal or better run)",
      "difference",
    ),
    markdown: flag("Print Markdown for a pull request"),
    json: flag("Print one JSON object"),
  },
  async run({ args }): Promise<number> {
    const { before, after } = args;
    if (before === undefined || after === undefined)
      throw new UsageError(
        "Missing runs. Example: envs run diff outputs/evals/tictactoe--gpt-5/<run> outputs/evals/tictactoe--gpt-6/<run>",
      );
    const maxDrop = numberOption("max-drop", args["max-drop"], (value) =>
      value >= 0 ? undefined : "a number of at least 0",
    );
    const [first, second] = await Promise.all(
      [before, after].map((run) => readRun(resolve(run), { withMedia: false })),
    );
    const comparison = compareRuns([first!, second!], { score: args.score, maxDrop });
    const text =
      args.markdown === true ? comparisonMarkdown(comparison) : comparisonText(comparison);
    printResult(args.json, comparison, text);
    return comparison.isRegression ? 1 : 0;
  },
});
