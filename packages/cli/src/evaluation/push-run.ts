import type { Environment } from "@envs/core";

import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import { importPackage } from "../packages/import-package.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";

/** The result of a push, for `--json` and as text. */
export interface PushResult {
  readonly json: object;
  readonly text: string;
}

/** A run that has not begun. */
export interface NewRun {
  readonly environment: Environment;
  readonly plan: EvaluationPlan;
  /** The name of the model in the run's metadata. */
  readonly model: string;
}

/** A hub that accepts runs of an environment. */
export interface PushTarget {
  /** Declares a run before its first rollout. Returns its plan with the seed that the hub has chosen. */
  declare(run: NewRun): Promise<EvaluationPlan>;
  /** Pushes the run in a folder. Shows the progress on stderr, unless `isQuiet`. */
  push(path: string, isQuiet: boolean): Promise<PushResult>;
}

/** Connects to the hub that will receive a run. Throws before the evaluation if the hub would reject it. */
export type ConnectToPush = (
  environment: LoadedEnvironment,
  registry: string | undefined,
) => Promise<PushTarget>;

/** Loads the package of hubs only for `--push`. */
export const connectToPush: ConnectToPush = async (environment, registry) => {
  const hub = await importPackage<{ readonly connectToPush: ConnectToPush }>(
    "hub-cli/commands",
    "--push",
  );
  return await hub.connectToPush(environment, registry);
};
