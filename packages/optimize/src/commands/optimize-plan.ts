import { integerOption, numberOption, UsageError, textOptions, positive } from "@envs/cli/kit";
import { modelSyntax } from "@envs/cli/kit/models";
import { type PlayPlan, playPlan } from "@envs/cli/kit/runs";
import { ConfigError } from "@envs/core";
import * as z from "zod";

import { defaultRollouts, type optimizeArguments } from "./optimize-arguments.ts";

/** The plan of a search. `plan.json` stores it, so that a search can be resumed from its folder alone. */
export interface OptimizePlan extends PlayPlan {
  readonly reflection: string;
  readonly budget: { readonly rollouts?: number | undefined; readonly cost?: number | undefined };
  readonly trainExamples?: number | undefined;
  readonly heldOutExamples?: number | undefined;
  readonly minibatch?: number | undefined;
  readonly merges?: number | undefined;
  readonly patience?: number | undefined;
  readonly reflectionBaseURL?: string | undefined;
}

/** The part of a plan that {@link storedPlan} checks in `plan.json`; the rest is read as it is. */
export const storedPlan = z.looseObject({
  environment: z.string(),
  config: z.record(z.string(), z.unknown()),
  model: z.string(),
  reflection: z.string(),
  budget: z.strictObject({ rollouts: z.int().optional(), cost: z.number().optional() }),
  seed: z.int(),
  concurrency: z.int().min(1),
  sampling: z.looseObject({}),
});

type OptimizeArguments = Readonly<
  Partial<Record<keyof typeof optimizeArguments, string | boolean | undefined>>
>;

/** The options that a resumed search can change: the budget, and how it reaches its models. */
const changeable = {
  patience: "patience",
  concurrency: "concurrency",
  "turn-timeout": "turnTimeout",
  "rollout-timeout": "rolloutTimeout",
  "base-url": "baseURL",
  "api-key-var": "apiKeyVariable",
  "reflection-base-url": "reflectionBaseURL",
  "judge-base-url": "judgeBaseURL",
  "judge-concurrency": "judgeConcurrency",
  "judge-timeout": "judgeTimeout",
  "judge-cache": "judgeCache",
  "sub-model-base-url": "subModelBaseURL",
  "sub-model-concurrency": "subModelConcurrency",
} as const satisfies Partial<Record<keyof typeof optimizeArguments, keyof OptimizePlan>>;

/** The options that do not belong to a plan. */
const others = new Set([
  "max-rollouts",
  "max-cost",
  "config-file",
  "save",
  "resume",
  "json",
  "quiet",
]);

/** Creates a plan from the command line. */
export function optimizePlan(
  args: OptimizeArguments,
  config: Readonly<Record<string, unknown>>,
): OptimizePlan {
  const text = textOptions(args);
  const [environment, model, reflection] = [text("environment"), text("model"), text("reflection")];
  if (environment === undefined)
    throw new ConfigError(
      "Missing environment. Example: envs optimize reverse-text -m gpt-5-mini --reflection gpt-5",
    );
  if (model === undefined) throw new ConfigError(`Missing model. Pass -m with ${modelSyntax}.`);
  if (reflection === undefined)
    throw new ConfigError(
      "Missing reflective model, which writes the prompts. Pass --reflection with a language model, such as gpt-5.",
    );
  for (const [option, name] of Object.entries({ "-m": model, "--reflection": reflection }))
    if (name.startsWith("policy:"))
      throw new UsageError(
        `${name} does not read prompts: it is a policy. Pass a language model to ${option}.`,
      );
  return { environment, config, model, reflection, budget: budgetOf(args), ...settings(args) };
}

/** Applies the command line to the plan of a search. Throws a `UsageError` for options that determined its results. */
export function resumedOptimizePlan(plan: OptimizePlan, args: OptimizeArguments): OptimizePlan {
  const fixed = Object.keys(args).filter(
    (name) =>
      args[name as keyof OptimizeArguments] !== undefined &&
      name !== "_" &&
      !(name in changeable) &&
      !others.has(name) &&
      !(name === "environment" && args.environment === plan.environment),
  );
  if (fixed.length > 0)
    throw new UsageError(
      `A resumed search cannot change ${fixed.map((name) => (name === "environment" ? "the environment" : `--${name}`)).join(", ")}, which its results depend on. Remove these options, or start a new search without --resume.`,
    );
  const now = settings(args);
  const changes = Object.entries(changeable).flatMap(([flag, field]) =>
    args[flag as keyof OptimizeArguments] === undefined ? [] : [[field, now[field]] as const],
  );
  const budget = hasBudget(args) ? budgetOf(args) : plan.budget;
  return { ...plan, ...Object.fromEntries(changes), budget };
}

function settings(args: OptimizeArguments) {
  const text = textOptions(args);
  const integer = (name: Parameters<typeof text>[0], minimum?: number): number | undefined =>
    integerOption(name, text(name), minimum);
  return {
    ...playPlan(args),
    trainExamples: integer("train-examples"),
    heldOutExamples: integer("held-out-examples"),
    minibatch: integer("minibatch"),
    merges: integer("merges", 0),
    patience: integer("patience"),
    reflectionBaseURL: text("reflection-base-url"),
  };
}

function hasBudget(args: OptimizeArguments): boolean {
  return args["max-rollouts"] !== undefined || args["max-cost"] !== undefined;
}

function budgetOf(args: OptimizeArguments): OptimizePlan["budget"] {
  const text = textOptions(args);
  const rollouts = integerOption("max-rollouts", text("max-rollouts"));
  const cost = numberOption("max-cost", text("max-cost"), positive);
  if (rollouts === undefined && cost === undefined) return { rollouts: defaultRollouts };
  return { rollouts, cost };
}
