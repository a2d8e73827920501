import { checkReport } from "@envs/core/testing";

import { loadEnvironment } from "../environments/load-environment.ts";
import { sourceCommands } from "../environments/source-package.ts";
import { integerOption } from "../terminal/arguments.ts";
import { defineCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { argument, valueOption, flag } from "../terminal/options.ts";
import { paint } from "../terminal/text.ts";

export const command = defineCommand({
  meta: {
    name: "check",
    description:
      "Run the conformance suite on an environment: equal seeds give equal outcomes, policies play to the end, no reply makes a rollout fail. Of each task in harbor:<place>: the oracle earns 1, the nop less, and both the same twice. To search for rewards that can be cheated, run envs audit",
  },
  args: {
    environment: argument("A package, a path or harbor:<place>"),
    solve: valueOption("The policy that should earn the best reward (default: the first)"),
    examples: valueOption("Number of examples to check (default 32; of tasks: all)", "count", "n"),
    concurrency: valueOption(
      "Maximum number of tasks in machines at once (default 2)",
      "count",
      "c",
    ),
    json: flag("Print one JSON object"),
  },
  async run({ args }): Promise<number> {
    if (args.environment === undefined)
      throw new UsageError("Missing environment. Example: envs check ./my-environment");
    const examples = integerOption("examples", args.examples);
    const concurrency = integerOption("concurrency", args.concurrency);
    const { place, checkTasks } = await sourceCommands<TaskCommands>(args.environment);
    if (checkTasks !== undefined)
      return await checkTasks(place, { examples, concurrency, json: args.json });
    const { factory, packageName } = await loadEnvironment(args.environment);
    const results = await checkReport(factory, {
      packageName,
      solve: args.solve,
      examples,
    });
    const failed = results.filter(({ problem }) => problem !== undefined).length;
    if (args.json === true) {
      const checks = results.map(({ name, problem = null }) => ({ name, problem }));
      process.stdout.write(
        `${JSON.stringify({ environment: factory.definition.name, failed, checks })}\n`,
      );
    } else {
      for (const { name, problem } of results)
        process.stdout.write(
          problem === undefined
            ? `${paint("green", "✓")} ${name}\n`
            : `${paint("red", "✗")} ${name}\n  ${problem}\n`,
        );
    }
    return failed === 0 ? 0 : 1;
  },
});

interface TaskCommands {
  readonly checkTasks: (
    place: string,
    options: {
      readonly examples: number | undefined;
      readonly concurrency: number | undefined;
      readonly json: boolean | undefined;
    },
  ) => Promise<number>;
}
