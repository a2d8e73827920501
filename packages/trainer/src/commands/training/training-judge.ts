import { UsageError, type Endpoint } from "@envs/cli/kit";
import {
  type JudgePlan,
  type LoadedJudge,
  loadJudge,
  type SubModelPlan,
} from "@envs/cli/kit/models";
import type { EnvironmentFactory } from "@envs/core";
import { judgedScores } from "@envs/core/engine";

import type { TrainingRecord } from "../../node/training-folder.ts";
import type { TrainingPlan } from "../../train/plan.ts";

/** Loads the judge of a training run, if one of its environments needs one. */
export async function loadTrainingJudge(
  factory: EnvironmentFactory,
  plan: TrainingPlan,
  judge: JudgePlan,
  endpoints: Readonly<Record<string, Endpoint>>,
): Promise<LoadedJudge | undefined> {
  const judged = configsOf(plan)
    .map((config) => factory(config))
    .find((environment) => judgedScores(environment).length > 0);
  return judged && loadJudge(judged, judge, endpoints);
}

/** The judge of a run that is resumed. Throws a `UsageError` for another one: it determines the weights. */
export function resumedJudge(
  requested: JudgePlan,
  { judge }: Pick<TrainingRecord, "judge">,
): JudgePlan {
  if (requested.judge !== undefined && judge !== undefined && requested.judge !== judge)
    throw new UsageError(
      `Cannot resume with --judge ${JSON.stringify(requested.judge)}: the run has ${JSON.stringify(judge)}, which determines the weights. Remove --judge.`,
    );
  return { ...requested, judge: requested.judge ?? judge };
}

function configsOf({
  phases,
  evaluations,
  stages,
}: TrainingPlan): readonly Record<string, unknown>[] {
  const trained = Object.values(phases).flatMap((phase) => {
    if (phase.kind === "rl") return phase.sources.map(({ config }) => config);
    return "file" in phase.data ? [] : [phase.data.config];
  });
  return [...trained, ...evaluations.concat(stages).map(({ config }) => config)];
}

/** The sub-model of a run that is resumed. Throws a `UsageError` for another one: it determines the weights. */
export function resumedSubModel(
  requested: SubModelPlan,
  record: Pick<TrainingRecord, "sub_model"> | undefined,
): SubModelPlan {
  const before = record?.sub_model;
  const { subModel = before } = requested;
  if (record === undefined || subModel === before) return { ...requested, subModel };
  throw new UsageError(
    `Cannot resume with --sub-model ${JSON.stringify(subModel)}: the run has ${before === undefined ? "none" : JSON.stringify(before)}, which determines the weights. Remove --sub-model.`,
  );
}
