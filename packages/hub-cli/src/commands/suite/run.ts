import {
  argument,
  defineCommand,
  flag,
  integerOption,
  loadConfigFile,
  saveOption,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import { judgeArguments, judgePlan, subModelArguments, subModelPlan } from "@envs/cli/kit/models";
import { evaluationArguments, retryOption } from "@envs/cli/kit/runs";

import { hubArguments } from "../../connection/connect.ts";
import { serverArguments } from "../../runs/run-connection.ts";
import { runSuite, suiteTable } from "../../suite/run-suite.ts";
import { readSuite } from "../../suite/suite-file.ts";

export const command = defineCommand({
  meta: {
    name: "suite run",
    description:
      "Run all evaluations of a suite with one model and print one table. A second run skips complete evaluations and resumes the others",
  },
  everydayOptions: [
    "model",
    "base-url",
    "api-key-var",
    "concurrency",
    "retry",
    "judge",
    "sub-model",
    "push",
    "registry",
    "save",
    "quiet",
    "json",
  ],
  args: {
    suite: argument("An installed suite, or the folder of one (default .)"),
    model: valueOption("The model to evaluate", "model", "m"),
    ...serverArguments,
    concurrency: valueOption("Maximum number of rollouts at once (default 32)", "count", "c"),
    retry: evaluationArguments.retry,
    ...judgeArguments,
    ...subModelArguments,
    push: flag("Push each run to the hub"),
    registry: hubArguments.registry,
    save: saveOption,
    quiet: { type: "boolean", alias: "q", description: "Do not show progress" },
    json: flag("Print one JSON object"),
  },
  async run({ args }): Promise<number> {
    const { model, json } = args;
    if (model === undefined)
      throw new UsageError("Missing model. Example: envs suite run @you/games -m policy:random");
    const suite = await readSuite(args.suite ?? ".");
    const { endpoints } = await loadConfigFile(undefined);
    const access = {
      model,
      baseURL: args["base-url"],
      apiKeyVariable: args["api-key-var"],
      concurrency: integerOption("concurrency", args.concurrency) ?? 32,
      retry: retryOption(args.retry),
      ...judgePlan(args),
      ...subModelPlan(args),
    };
    const results = await runSuite(suite, access, {
      command: "envs suite run",
      endpoints,
      outputs: args.save,
      isJson: json === true,
      isQuiet: args.quiet === true,
      push: args.push === true ? { registry: args.registry } : undefined,
    });
    const title = `${suite.name} ${suite.version} · ${model}`;
    process.stdout.write(
      json === true
        ? `${JSON.stringify({ suite: suite.name, version: suite.version, model, results })}\n`
        : `\n${suiteTable(title, results)}\n`,
    );
    return Math.max(...results.map(({ exitCode }) => exitCode));
  },
});
