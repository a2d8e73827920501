import type { ArgsDef } from "citty";

import { loadConfigFile } from "../config-file.ts";
import { configFromArguments, withConfigFlags } from "../environments/config-arguments.ts";
import { evaluationArguments } from "../evaluation/evaluation-arguments.ts";
import { planFromArguments, planFromFile } from "../evaluation/evaluation-plan.ts";
import { findResumableRun } from "../evaluation/resume.ts";
import { resumedPlan } from "../evaluation/resumed-plan.ts";
import { type PlanResult, runPlan } from "../evaluation/run-plan.ts";
import type { EnvsCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";

export const command: EnvsCommand<typeof evaluationArguments> = {
  meta: {
    name: "eval",
    description:
      "Evaluate a model on an environment and save the run. The options of the environment's config are options of this command too: see envs eval <environment> --help",
  },
  everydayOptions: [
    "model",
    "examples",
    "rollouts",
    "concurrency",
    "seed",
    "select",
    "temperature",
    "max-tokens",
    "base-url",
    "judge",
    "resume",
    "push",
  ],
  args: evaluationArguments,

  bareValues: { "--resume": "latest" },
  joinedOptions: ["--model", "-m"],

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return withConfigFlags(rawArgs, evaluationArguments);
  },

  async run({ args }): Promise<number> {
    const { endpoints, plans } = await loadConfigFile(args["config-file"]);
    const outputs = args.save;
    if (args.registry !== undefined && args.push !== true)
      throw new UsageError("--registry names the hub to push to. Add --push.");
    if (args.push === true && args.seed !== undefined && args.resume === undefined)
      throw new UsageError(
        "--seed cannot be combined with --push: the hub chooses the seed of a declared run. Remove --seed, or evaluate without --push and use envs run push, which gives the run no rank.",
      );
    const common = {
      endpoints,
      outputs,
      isJson: args.json === true,
      isQuiet: args.quiet === true,
      queue: args,
      push: args.push === true ? { registry: args.registry } : undefined,
    };
    const results: PlanResult[] = [];

    if (args.resume !== undefined) {
      if (args.plan !== undefined)
        throw new UsageError("--plan starts new runs, so it cannot be combined with --resume.");
      const resume = await findResumableRun(args.resume, outputs);
      results.push(await runPlan(await resumedPlan(resume, args), { ...common, resume }));
    } else if (args.plan !== undefined) {
      rejectBesidePlan(args);
      const runs = Object.hasOwn(plans, args.plan) ? plans[args.plan] : undefined;
      if (runs === undefined) throw unknownPlan(args.plan, Object.keys(plans));
      for (const run of runs)
        results.push(await runPlan(planFromFile(run), { ...common, resume: undefined }));
    } else {
      const config = await configFromArguments(args, evaluationArguments);
      results.push(
        await runPlan(planFromArguments(args, config), { ...common, resume: undefined }),
      );
    }

    if (common.isJson) {
      const [first] = results;
      const json =
        args.plan === undefined ? first?.json : { runs: results.map((result) => result.json) };
      process.stdout.write(`${JSON.stringify(json)}\n`);
    }
    return Math.max(...results.map(({ exitCode }) => exitCode));
  },
};

/** The options that apply to all runs of a plan. The config file sets the other options. */
const optionsOfPlans = new Set([
  "plan",
  "config-file",
  "save",
  "queue",
  "max-queued",
  "push",
  "registry",
  "json",
  "quiet",
]);

function rejectBesidePlan(args: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(evaluationArguments).filter(
    (name) => args[name] !== undefined && !optionsOfPlans.has(name),
  );
  if (names.length === 0) return;
  const options = names.map((name) => (name === "environment" ? "an environment" : `--${name}`));
  throw new UsageError(
    `--plan cannot be combined with ${options.join(", ")}: the config file sets these for each run of a plan.`,
  );
}

function unknownPlan(name: string, known: readonly string[]): UsageError {
  return new UsageError(
    known.length === 0
      ? `Plan ${JSON.stringify(name)} not found: the config file has no plans. Add plans to envs.config.ts: export default defineConfig({ plans: { … } })`
      : `Plan ${JSON.stringify(name)} not found. Plans in the config file: ${known.join(", ")}.`,
  );
}
