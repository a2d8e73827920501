import { type EnvironmentFactory, evaluate, type Model, type Summary } from "@envs/core";

import type { EvaluationSpec } from "./plan.ts";

/** How a model did in one of a plan's evaluations. */
export interface Measured {
  readonly spec: EvaluationSpec;
  readonly summary: Summary;
}

/** Runs the evaluations of a plan, always on the same examples. */
export async function measure(
  specs: readonly EvaluationSpec[],
  options: {
    readonly factory: EnvironmentFactory;
    readonly model: Model;
    readonly seed: number;
    readonly signal: AbortSignal;
  },
): Promise<Measured[]> {
  const { factory, model, seed, signal } = options;
  return Promise.all(
    specs.map(async (spec) => {
      const { config, examples, rolloutsPerExample, temperature, maxTokens, maxTurns } = spec;
      const { rollouts: _, ...summary } = await evaluate(factory(config), {
        model,
        examples,
        rolloutsPerExample,
        seed,
        signal,
        concurrency: examples * rolloutsPerExample,
        sampling: { temperature, ...(maxTokens === undefined ? {} : { maxTokens }) },
        ...(maxTurns === undefined ? {} : { maxTurns }),
      });
      return { spec, summary };
    }),
  );
}

/** What an evaluation shows, by name: its columns, or the reward and every score. */
export function sharesOf({ spec, summary }: Measured): Record<string, number | null> {
  const statistics = new Map(Object.entries(summary.scores));
  const mean = (score: string): number | null => finite(statistics.get(score)?.mean);
  const columns =
    spec.columns ?? Object.fromEntries(Object.keys(summary.scores).map((name) => [name, name]));
  return {
    reward: finite(summary.reward.mean),
    ...Object.fromEntries(Object.entries(columns).map(([name, score]) => [name, mean(score)])),
  };
}

/** Evaluations as a row of metrics: `<evaluation>/<column>`. */
export function valuesOfMeasured(measured: readonly Measured[]): Record<string, number | null> {
  return Object.fromEntries(
    measured.flatMap((each) =>
      Object.entries(sharesOf(each)).map(([name, value]) => [`${each.spec.name}/${name}`, value]),
    ),
  );
}

function finite(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
