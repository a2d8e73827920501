import type { Environment, Example, Rollout, RolloutEvent, RolloutsOptions } from "@envs/core";

import type { EnvironmentFiles } from "../environments/environment-files.ts";
import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import type { LoadedJudge } from "../models/load-judge.ts";
import type { LoadedPlayers } from "../models/load-players.ts";
import type { LoadedModel } from "../models/loaded-model.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import type { QueuedRunRecord } from "./queue-options.ts";
import type { ResumableRun } from "./resume.ts";

/** Plays rollouts, as `rollouts()` of core does. */
export type PlayRollouts = (
  environment: Environment,
  options: RolloutsOptions<Example, string, string>,
) => AsyncIterable<Rollout>;

export interface EvaluationOptions {
  readonly plan: EvaluationPlan;
  readonly loaded: LoadedEnvironment;
  readonly environment: Environment;
  readonly model: LoadedPlayers;
  /** Judges the replies; `undefined` if the environment needs no judge and the user named none. */
  readonly judge: LoadedJudge | undefined;
  /** Answers sub-model calls; `undefined` if the model that plays does. */
  readonly subModel: LoadedModel | undefined;
  /** The command that resumes the run. Default: `envs eval`. */
  readonly command?: string | undefined;
  /** The folder in which runs are saved. */
  readonly outputs: string;
  readonly resume: ResumableRun | undefined;
  /** Plays the rollouts. Default: this process does. */
  readonly play?: PlayRollouts | undefined;
  readonly queuedRun?: QueuedRunRecord | undefined;
  readonly files: EnvironmentFiles;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RolloutEvent) => void;
  /** Called before the first rollout with each fault of the environment that does not stop the run. */
  readonly onWarning: (text: string) => void;
  /** Called before the first rollout. */
  readonly onOpen: (run: OpenRun) => void;
}

/** A run that is about to be played. */
export interface OpenRun {
  readonly path: string;
  /** The number of saved rollouts of a resumed run. */
  readonly existing: number;
  /** The number of saved rollouts that do not count, because the dataset has changed or no longer has their example. */
  readonly staleRollouts: number;
}
