import type { Environment } from "@envs/core";
import { asksSubModel, judgedScores } from "@envs/core/engine";

import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import { assignmentsIn } from "../models/load-players.ts";
import { UsageError } from "../terminal/errors.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import type { QueueArguments } from "./queue-options.ts";

const judgeOptions = {
  judge: "judge",
  judgeBaseURL: "judge-base-url",
  judgeConcurrency: "judge-concurrency",
  judgeTimeout: "judge-timeout",
  judgeCache: "judge-cache",
} as const;

const subModelOptions = {
  subModel: "sub-model",
  subModelBaseURL: "sub-model-base-url",
  subModelConcurrency: "sub-model-concurrency",
} as const;

/** Throws a `UsageError` for options that cannot apply to the models of a plan. */
export function rejectUnusedOptions(plan: EvaluationPlan): void {
  const { model, baseURL, apiKeyVariable, subModel, subModelBaseURL } = plan;
  const models = assignmentsIn(model).map(([seat, name]) => name || seat);
  const isServed = models.some((name) => !/^(?:policy|gguf):/.test(name));
  const option = baseURL === undefined ? "--api-key-var" : "--base-url";
  if (!isServed && (baseURL ?? apiKeyVariable) !== undefined)
    throw new UsageError(
      `${option} is for models of a server, and ${model} needs none. Remove it.`,
    );
  if (subModelBaseURL !== undefined && subModel === undefined)
    throw new UsageError("--sub-model-base-url is the server of --sub-model. Add --sub-model.");
}

/** Throws a `UsageError` for other prompts with a hub or queue, which play with the environment's own prompts. */
export function rejectSharing(
  { prompts }: EvaluationPlan,
  {
    push,
    queue,
  }: { readonly push?: object | undefined; readonly queue?: QueueArguments | undefined },
): void {
  if (prompts === undefined) return;
  const option = push === undefined ? (queue?.queue === undefined ? undefined : "queue") : "push";
  if (option !== undefined)
    throw new UsageError(
      `--prompts cannot be combined with --${option}: a hub and the workers of a queue have the environment's own prompts. Put the prompts into the environment first.`,
    );
}

/** What `envs check` would reject about an environment, and the options of a plan that have no effect on it. */
export function planWarnings(
  environment: Environment,
  { packageName }: Pick<LoadedEnvironment, "packageName">,
  plan: EvaluationPlan,
): readonly string[] {
  const { name } = environment;
  const problem = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)
    ? (packageName ?? name).split("/").at(-1) !== name && `its package ${packageName}`
    : "which is not kebab-case";
  const isJudged = judgedScores(environment).length > 0;
  const judge = isJudged ? [] : passed(plan, judgeOptions);
  const subModel = asksSubModel(environment) ? [] : passed(plan, subModelOptions);
  return [
    ...(problem === false
      ? []
      : [`The environment is named ${name}, ${problem}. envs check rejects this: rename it.`]),
    ...(judge.length === 0
      ? []
      : [`No score of ${name} asks a judge, so ${judge.join(", ")} has no effect.`]),
    ...(subModel.length === 0
      ? []
      : [`${name} does not ask a sub-model, so ${subModel.join(", ")} has no effect.`]),
  ];
}

function passed<Field extends keyof EvaluationPlan>(
  plan: EvaluationPlan,
  options: Readonly<Partial<Record<Field, string>>>,
): readonly string[] {
  return Object.entries(options).flatMap(([field, option]) =>
    plan[field as Field] === undefined ? [] : [`--${String(option)}`],
  );
}
