import { isDeepStrictEqual } from "node:util";

import { UsageError } from "@envs/cli/kit";
import {
  changedFiles,
  type EnvironmentFiles,
  type LoadedEnvironment,
} from "@envs/cli/kit/environments";
import { nearPath } from "@envs/cli/kit/layout";

import { backendOf } from "../../train/model-settings.ts";
import type { TrainingPlan } from "../../train/plan.ts";
import { overridePlan, type PlanOverrides, type Recipe } from "./recipe.ts";
import type { ResumableTraining } from "./training-run.ts";

/** The options that were passed beside `--resume`. */
export interface ResumeRequest {
  readonly environment: LoadedEnvironment;
  readonly files: EnvironmentFiles;
  /** The recipe of `--config`. */
  readonly recipe: Recipe | undefined;
  readonly overrides: PlanOverrides;
}

/**
 * Throws a `UsageError` if a resumed training would not be the one that was started: another option, another environment, or
 * changed files. All of them determine the weights. An option may repeat the run's own value.
 */
export function checkResumedTraining(
  { path, record }: ResumableTraining,
  { environment: requested, files, recipe, overrides }: ResumeRequest,
): void {
  const { plan, environment } = record;
  const { name } = requested.factory.definition;
  const conflicts = [
    ...(name === environment.name
      ? []
      : [`the environment is ${name}, but the run has ${environment.name}`]),
    ...optionConflicts(plan, overrides),
    ...(recipe === undefined || isSame(overridePlan(recipe.plan, allOf(plan)), plan)
      ? []
      : [`--config is another recipe than the run's`]),
  ];
  const advice = `To continue from its last checkpoint in a new run: envs train ${environment.reference} --from ${nearPath(path)}`;
  if (conflicts.length > 0)
    throw new UsageError(
      `Cannot resume ${path} with other settings: ${conflicts.join("; ")}. They determine the weights. Remove these options. ${advice}`,
    );
  const changed = changedFiles(environment.files, files);
  if (changed.length > 0)
    throw new UsageError(
      `Cannot resume ${path}: ${environment.reference} has changed since the run started (${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ` and ${changed.length - 5} more` : ""}). Restore these files. ${advice}`,
    );
}

function optionConflicts(plan: TrainingPlan, overrides: PlanOverrides): readonly string[] {
  const own = allOf(plan);
  const options = [
    ["seed", overrides.seed, own.seed],
    ["threads", overrides.threads, own.threads],
    ["phases", overrides.phases?.join(","), own.phases?.join(",")],
    ["from", overrides.from, own.from],
    ["backend", overrides.backend, own.backend],
    ["model", overrides.localModel, own.localModel],
    ["base-model", overrides.baseModel, own.baseModel],
    ["tokenizer", overrides.tokenizer, own.tokenizer],
    ["lora-rank", overrides.loraRank, own.loraRank],
    ["lora-alpha", overrides.loraAlpha, own.loraAlpha],
    ["lora-targets", overrides.loraTargets?.join(","), own.loraTargets?.join(",")],
    ["context-length", overrides.contextLength, own.contextLength],
  ] as const;
  return options.flatMap(([flag, now, before]) =>
    now === undefined || now === before
      ? []
      : [`--${flag} is ${now}, but the run has ${before ?? absentOptions[flag] ?? "none"}`],
  );
}

const absentOptions: Readonly<Record<string, string>> = {
  from: "a new model",
  threads: "no tiny model",
  "context-length": "the default",
  tokenizer: "that of the base model",
};

/** Whether plans are equal. A plan that was read from a file lacks fields that are undefined. */
function isSame(plan: TrainingPlan, saved: TrainingPlan): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(plan)), saved);
}

/** The overrides that do not change a plan. */
function allOf({ seed, threads, phases, model }: TrainingPlan): PlanOverrides {
  const shared = { seed, phases: Object.keys(phases) };
  const backend = backendOf(model);
  if (backend !== "tiny") return { ...shared, ...model, backend };
  return { ...shared, threads, backend, from: "from" in model ? model.from : undefined };
}
