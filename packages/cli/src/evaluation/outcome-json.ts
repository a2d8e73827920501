import type { Summary } from "@envs/core";
import { totals } from "@envs/records";

import type { EvaluationOutcome } from "./evaluate-and-save.ts";

/** The result of an evaluation as `--json` prints it. */
export function outcomeJson(outcome: EvaluationOutcome): Readonly<Record<string, unknown>> {
  const { path, summary, staleRollouts, time, cost, isComplete } = outcome;
  return {
    run: path,
    is_complete: isComplete,
    ...summaryJson(summary),
    seats: totals(summary)["seats"],
    sub_model_usage: totals(summary)["sub_model_usage"],
    ...(outcome.subModelRefusals === 0 ? {} : { sub_model_refusals: outcome.subModelRefusals }),
    ...(outcome.judgeCost === undefined ? {} : { judge_cost: outcome.judgeCost }),
    ...(outcome.subModelCost === undefined ? {} : { sub_model_cost: outcome.subModelCost }),
    ...(outcome.helperCosts && { helper_costs: outcome.helperCosts }),
    time,
    ...(staleRollouts === 0 ? {} : { stale_rollouts: staleRollouts }),
    ...(cost === undefined ? {} : { cost, price: outcome.price }),
  };
}

/** The summary of a run as `envs eval` and `envs view` print it. */
export function summaryJson(summary: Summary): Readonly<Record<string, unknown>> {
  return {
    counts: summary.counts,
    reward: summary.reward,
    scores: summary.scores,
    failures: summary.failures,
    retries: summary.retries,
    failure_reasons: totals(summary)["failure_reasons"],
    stop_reasons: summary.stopReasons,
    tools: summary.tools,
    tool_errors: summary.toolErrors,
    pass_at_k: summary.passAtK,
    pass_all_k: summary.passHatK,
    usage: totals(summary)["usage"],
    judge_usage: totals(summary)["judge_usage"],
    parts: totals(summary)["parts"],
  };
}
