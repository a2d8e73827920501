import type { Environment } from "@envs/core";
import { judgedScores, mapValues, redactUrl } from "@envs/core/engine";
import { type Metadata, schemaVersion } from "@envs/records";

import { scoreWeights } from "../environments/describe.ts";
import type { EnvironmentFiles } from "../environments/environment-files.ts";
import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import type { LoadedJudge } from "../models/load-judge.ts";
import { coreVersion, version } from "../version.ts";
import type { EvaluationOptions } from "./evaluation-options.ts";
import type { JudgeMetadata } from "./resume.ts";

/** The metadata of a run that starts now. */
export function runMetadata({
  plan,
  environment,
  loaded,
  files,
  model,
  judge,
  subModel,
  queuedRun,
}: EvaluationOptions): Metadata {
  const { temperature, topP, maxTokens, stop } = plan.sampling;
  return {
    schema_version: schemaVersion,
    env_id: environment.name,
    env_args: environment.config,
    environment: environmentMetadata(loaded, files),
    model: model.model.id ?? plan.model,
    base_url: redacted(model.baseURL) ?? null,
    ...(judge === undefined
      ? {}
      : { judge: judgeMetadata(environment, judge), judge_prices: judge.prices }),
    ...(subModel === undefined ? {} : { sub_model: subModel.model.id ?? plan.subModel }),
    ...(subModel?.price === undefined ? {} : { sub_model_price: subModel.price }),
    ...(model.helpers && {
      helpers: mapValues(model.helpers, (helper) => helper.model.id ?? "model"),
      helper_prices: mapValues(model.helpers, ({ price }) => price ?? null),
    }),
    sampling_args: { temperature, top_p: topP, max_tokens: maxTokens, stop },
    // JSON has no infinity; verifiers writes -1 for all examples.
    num_examples: Number.isFinite(plan.examples) ? plan.examples : -1,
    rollouts_per_example: plan.rolloutsPerExample,
    seed: plan.seed,
    split: plan.split ?? null,
    select: plan.select,
    shuffle: plan.shuffle,
    pass_threshold: plan.passThreshold ?? environment.definition.passThreshold ?? 0.5,
    // Prices per million tokens, with their source.
    price: model.price ?? null,
    weights: scoreWeights(environment),
    date: new Date().toISOString(),
    ...(queuedRun === undefined ? {} : { queue: queuedRun }),
    is_complete: false,
    version_info: {
      env_version: loaded.version ?? null,
      envs_version: version,
      core_version: coreVersion,
      node_version: process.version,
    },
    plan: {
      ...plan,
      baseURL: redacted(plan.baseURL),
      judgeBaseURL: redacted(plan.judgeBaseURL),
      subModelBaseURL: redacted(plan.subModelBaseURL),
      examples: Number.isFinite(plan.examples) ? plan.examples : -1,
    },
  };
}

/** The package that a run is played with. */
export function environmentMetadata(
  { packageName, version, contentHash }: LoadedEnvironment,
  files: EnvironmentFiles,
) {
  return {
    package: packageName ?? null,
    version: version ?? null,
    content_hash: contentHash,
    files,
  };
}

/** The judges and the hashes of their prompts: rewards of other judges or prompts are not comparable. */
export function judgeMetadata(environment: Environment, { models }: LoadedJudge): JudgeMetadata {
  return { models: models.map(({ id }) => id ?? "judge"), prompts: judgePrompts(environment) };
}

function redacted(url: string | undefined): string | undefined {
  return url === undefined ? undefined : redactUrl(url);
}

/** The hash of the prompt of each judged score, by name, for the scores that have one. */
function judgePrompts(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    judgedScores(environment).flatMap(({ name, judge }) =>
      judge === undefined ? [] : [[name, judge.prompt]],
    ),
  );
}
