import type { Condition } from "../gate.ts";
import type { Outcome } from "../outcome.ts";
import type { ExampleMeta } from "./example-meta.ts";
import { asJson } from "./json.ts";

/** The `meta` of the test of the gate, in the JSON of vitest-evals 0.16. */
export function gateMeta(
  { passRate, verdicts }: Outcome,
  conditions: readonly Condition[],
): Pick<ExampleMeta, "eval"> {
  return {
    eval: {
      scores: conditions.map(({ name, estimate, minimum, text }) => ({
        name,
        score: estimate?.mean ?? null,
        metadata: {
          rationale: text,
          minimum,
          ...(estimate === undefined ? {} : { low: estimate.low, high: estimate.high }),
        },
      })),
      avgScore: passRate.mean,
      output: asJson(verdicts),
      thresholdFailed: conditions.some(({ isMet }) => !isMet),
    },
  };
}
