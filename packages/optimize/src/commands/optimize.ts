import {
  type EnvsCommand,
  FailureError,
  onInterrupt,
  paint,
  printResult,
  type ArgsDef,
  loadConfigFile,
} from "@envs/cli/kit";
import {
  configFromArguments,
  withConfigFlags,
  environmentFiles,
  loadEnvironment,
} from "@envs/cli/kit/environments";
import { nearPath, pathArgument } from "@envs/cli/kit/layout";
import { isRolloutError } from "@envs/core/engine";

import { optimizeArguments } from "./optimize-arguments.ts";
import { optimizePlan, resumedOptimizePlan } from "./optimize-plan.ts";
import { runSearch, saveResult } from "./run-search.ts";
import { checkSameEnvironment, findSearch, newSearchFolder, saveSearch } from "./search-folder.ts";
import { optimizeEventText, optimizeResultText } from "./search-text.ts";

export const command: EnvsCommand<typeof optimizeArguments> = {
  meta: {
    name: "optimize",
    description:
      "Improve the prompts of an environment: a model reads conversations with their feedback and writes better ones. Ctrl-C stops a search, and --resume continues it",
  },
  everydayOptions: [
    "model",
    "reflection",
    "max-rollouts",
    "max-cost",
    "train-examples",
    "held-out-examples",
    "seed",
    "base-url",
    "judge",
    "resume",
    "save",
    "json",
  ],
  args: optimizeArguments,

  bareValues: { "--resume": "latest" },

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return withConfigFlags(rawArgs, optimizeArguments);
  },

  async run({ args }): Promise<number> {
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const note = (text: string): void => void (args.json || process.stderr.write(`${text}\n`));
    const saved = args.resume === undefined ? undefined : await findSearch(args.resume, args.save);
    const plan =
      saved === undefined
        ? optimizePlan(args, await configFromArguments(args, optimizeArguments))
        : resumedOptimizePlan(saved.plan, args);
    const loaded = await loadEnvironment(plan.environment);
    const environment = loaded.factory(plan.config);
    const files = await environmentFiles(loaded);
    if (saved !== undefined) checkSameEnvironment(saved, files);
    const path = saved?.path ?? newSearchFolder(args.save, plan, environment.name);
    const hint = `To continue: envs optimize --resume ${pathArgument(path)}`;
    const interrupt = onInterrupt(() =>
      note(paint("yellow", "\nStopping. Press Ctrl-C again to exit immediately.")),
    );
    try {
      const result = await runSearch(environment, {
        path,
        plan,
        endpoints,
        signal: interrupt.signal,
        async onReady() {
          await saveSearch({ path, plan, files, isComplete: false });
          const header = `${paint("bold", environment.name)} · ${paint("bold", plan.model)} · prompts by ${plan.reflection}`;
          note(`${header}\n${paint("dim", `saving to ${nearPath(path)}`)}`);
        },
        onEvent: (event) => {
          if (args.quiet !== true) note(optimizeEventText(event));
        },
      });
      await saveResult(path, result);
      await saveSearch({ path, plan, files, isComplete: true });
      const { best, heldOut, rollouts, reflections, cost } = result;
      const json = {
        path,
        environment: environment.name,
        before: result.candidates[0]!.mean,
        after: best.mean,
        held_out: heldOut,
        prompts: best.prompts,
        rollouts,
        reflections,
        cost: cost ?? null,
        prices: result.prices,
      };
      printResult(args.json, json, optimizeResultText(result, { path, plan }));
      return 0;
    } catch (error) {
      if (interrupt.signal.aborted) throw new FailureError(`The search was stopped. ${hint}`);
      if (isRolloutError(error)) throw new FailureError(`${error.message}\n${hint}`);
      throw error;
    } finally {
      interrupt.dispose();
    }
  },
};
