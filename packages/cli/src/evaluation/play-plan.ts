import type { Sampling } from "@envs/core";

import { judgePlan, type JudgePlan } from "../models/load-judge.ts";
import { subModelPlan, type SubModelPlan } from "../models/sub-model.ts";
import { integerOption, numberOption, secondsOption } from "../terminal/arguments.ts";
import { type OptionValues, textOptions } from "../text/text-option.ts";
import type { evaluationArguments } from "./evaluation-arguments.ts";

/** How rollouts are played: the part of a plan that evaluations and searches for prompts have in common. */
export interface PlayPlan extends JudgePlan, SubModelPlan {
  /** A package name or a path. */
  readonly environment: string;
  /** The name of a model, or names by seat: `X=<model>,O=<model>`. */
  readonly model: string;
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sampling: Sampling;
  readonly concurrency: number;
  readonly seed: number;
  readonly maxTurns?: number | undefined;
  /** In milliseconds. */
  readonly turnTimeout?: number | undefined;
  /** In milliseconds. */
  readonly rolloutTimeout?: number | undefined;
  /** In milliseconds. */
  readonly hookTimeout?: number | undefined;
}

/** Reads the options that a {@link PlayPlan} has beside its environment, its model and its config. */
export function playPlan(
  args: OptionValues<keyof typeof evaluationArguments>,
): Omit<PlayPlan, "environment" | "model" | "config"> {
  const text = textOptions(args);
  return {
    baseURL: text("base-url"),
    apiKeyVariable: text("api-key-var"),
    sampling: {
      temperature: numberOption("temperature", text("temperature"), atLeastZero),
      topP: numberOption("top-p", text("top-p"), share),
      maxTokens: integerOption("max-tokens", text("max-tokens")),
    },
    concurrency: integerOption("concurrency", text("concurrency")) ?? 32,
    seed: integerOption("seed", text("seed"), Number.MIN_SAFE_INTEGER) ?? 0,
    maxTurns: integerOption("limit-turns", text("limit-turns")),
    turnTimeout: secondsOption("turn-timeout", text("turn-timeout")),
    rolloutTimeout: secondsOption("rollout-timeout", text("rollout-timeout")),
    hookTimeout: secondsOption("hook-timeout", text("hook-timeout")),
    ...judgePlan(args),
    ...subModelPlan(args),
  };
}

function atLeastZero(value: number): string | undefined {
  return value >= 0 ? undefined : "at least 0";
}

function share(value: number): string | undefined {
  return value >= 0 && value <= 1 ? undefined : "a number from 0 to 1";
}
