import { FailureError } from "@envs/cli/kit";
import type { JudgePlan, SubModelPlan } from "@envs/cli/kit/models";
import type { EvaluationPlan } from "@envs/cli/kit/runs";
import { retryableCodes } from "@envs/core/engine";
import type { Run } from "@envs/hub-client";
import * as z from "zod";

const optional = z.number().optional();

const details = z.looseObject({
  examples: z.number().int(),
  rolloutsPerExample: z.int().min(1),
  select: z.string().optional(),
  retry: z.object({ codes: z.array(z.enum(retryableCodes)), times: optional }).optional(),
  judge: z.string().optional(),
  subModel: z.string().optional(),
  shuffle: z.boolean().default(false),
  maxTurns: optional,
  maxTotalTokens: optional,
  turnTimeout: optional,
  rolloutTimeout: optional,
  hookTimeout: optional,
  tokens: z.boolean().default(false),
});

const sampling = z.looseObject({
  temperature: optional,
  top_p: optional,
  max_tokens: optional,
  stop: z.array(z.string()).optional(),
});

/** How to reach the model, which a recipe does not contain. */
export interface ModelAccess extends JudgePlan, SubModelPlan {
  readonly model: string | undefined;
  readonly baseURL: string | undefined;
  readonly apiKeyVariable: string | undefined;
}

/** The plan that repeats a run of a hub with an installed environment. */
export function recipePlan(
  { id, recipe }: Run,
  environment: string,
  { model, baseURL, apiKeyVariable, ...access }: ModelAccess,
): EvaluationPlan {
  const plan = details.safeParse(recipe.details);
  if (!plan.success)
    throw new FailureError(
      `The run ${id} does not state how many examples and rollouts it has, so it cannot be repeated.`,
    );
  const { examples, ...limits } = plan.data;
  const { temperature, top_p: topP, max_tokens: maxTokens, stop } = sampling.parse(recipe.sampling);
  return {
    environment,
    model: model ?? recipe.model,
    baseURL,
    apiKeyVariable,
    config: recipe.config,
    sampling: { temperature, topP, maxTokens, stop },
    // Infinity, which JSON lacks, is stored as -1.
    examples: examples < 0 ? Infinity : examples,
    rolloutsPerExample: limits.rolloutsPerExample,
    concurrency: 32,
    seed: recipe.seed ?? 0,
    split: recipe.split ?? undefined,
    select: limits.select,
    retry: limits.retry,
    ...access,
    judge: access.judge ?? limits.judge,
    subModel: access.subModel ?? limits.subModel,
    shuffle: limits.shuffle,
    maxTurns: limits.maxTurns,
    maxTotalTokens: limits.maxTotalTokens,
    turnTimeout: limits.turnTimeout,
    rolloutTimeout: limits.rolloutTimeout,
    hookTimeout: limits.hookTimeout,
    tokens: limits.tokens,
    reproduces: id,
  };
}
