import {
  type EnvironmentFactory,
  evaluate,
  type JudgeModels,
  type Model,
  type Summary,
} from "@envs/core";

import { checkSomeScored } from "./check-some-scored.ts";
import type { EvaluationSpec } from "./plan.ts";

export interface EvaluationResult {
  readonly spec: EvaluationSpec;
  readonly summary: Summary;
}

/** Runs evaluations of a plan concurrently. Equal seeds give equal examples. Throws if all rollouts of one failed. */
export async function runEvaluations(
  specs: readonly EvaluationSpec[],
  options: {
    readonly factory: EnvironmentFactory;
    readonly model: Model;
    readonly judge?: JudgeModels | undefined;
    readonly subModel?: Model | undefined;
    readonly seed: number;
    readonly signal: AbortSignal;
  },
): Promise<EvaluationResult[]> {
  const { factory, model, judge, subModel, seed, signal } = options;
  return Promise.all(
    specs.map(async (spec) => {
      const { config, examples, rolloutsPerExample, temperature, maxTokens, maxTurns } = spec;
      const { rollouts, ...summary } = await evaluate(factory(config), {
        model,
        judge,
        subModel,
        examples,
        rolloutsPerExample,
        seed,
        signal,
        concurrency: examples * rolloutsPerExample,
        sampling: { temperature, maxTokens },
        maxTurns,
      });
      // An interrupted evaluation is repeated.
      if (!signal.aborted) checkSomeScored(rollouts, `evaluation ${spec.name}`);
      return { spec, summary };
    }),
  );
}

/** The mean reward, and the mean scores of the columns of the evaluation. Default: every score. */
export function evaluationColumns({
  spec,
  summary,
}: EvaluationResult): Record<string, number | null> {
  const statistics = new Map(Object.entries(summary.scores));
  const mean = (score: string): number | null => finiteOrNull(statistics.get(score)?.mean);
  const columns =
    spec.columns ?? Object.fromEntries(Object.keys(summary.scores).map((name) => [name, name]));
  return {
    reward: finiteOrNull(summary.reward.mean),
    ...Object.fromEntries(Object.entries(columns).map(([name, score]) => [name, mean(score)])),
  };
}

/** The values of a metrics row: `<evaluation>/<column>`. */
export function evaluationMetrics(
  results: readonly EvaluationResult[],
): Record<string, number | null> {
  return Object.fromEntries(
    results.flatMap((result) =>
      Object.entries(evaluationColumns(result)).map(([name, value]) => [
        `${result.spec.name}/${name}`,
        value,
      ]),
    ),
  );
}

function finiteOrNull(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
