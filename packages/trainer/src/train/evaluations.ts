import { type EnvironmentFactory, type Rollout, rollouts, type Summary } from "@envs/core";
import { summarizer } from "@envs/core/engine";

import { checkSomeScored } from "./check-some-scored.ts";
import { seatModels } from "./model-seats.ts";
import type { EvaluationSpec } from "./plan.ts";
import type { Players } from "./play-rollouts.ts";

export interface EvaluationResult {
  readonly spec: EvaluationSpec;
  readonly summary: Summary;
}

/** Runs evaluations of a plan concurrently. Equal seeds give equal examples. Throws if all rollouts of one failed. */
export async function runEvaluations(
  specs: readonly EvaluationSpec[],
  options: Players & {
    readonly factory: EnvironmentFactory;
    readonly seed: number;
    readonly signal: AbortSignal;
  },
): Promise<EvaluationResult[]> {
  const { factory, model, judge, subModel, play = rollouts, seed, signal } = options;
  return Promise.all(
    specs.map(async (spec) => {
      const {
        config,
        examples,
        rolloutsPerExample,
        temperature,
        maxTokens,
        maxTurns,
        rotateSeats,
      } = spec;
      const environment = factory(config);
      const sum = summarizer(environment);
      const played: Rollout[] = [];
      for await (const rollout of play(environment, {
        model: seatModels(environment, model, spec),
        judge,
        subModel,
        examples,
        rolloutsPerExample,
        seed,
        signal,
        concurrency: examples * rolloutsPerExample,
        sampling: { temperature, maxTokens },
        maxTurns,
        rotateSeats,
      })) {
        sum.add(rollout);
        played.push(rollout);
      }
      played.sort((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex);
      // An interrupted evaluation is repeated.
      if (!signal.aborted) checkSomeScored(played, `evaluation ${spec.name}`);
      return { spec, summary: sum.summary() };
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
