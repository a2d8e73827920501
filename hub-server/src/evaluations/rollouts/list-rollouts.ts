import type { RolloutEntry, Run } from "@envs/hub-client";
import { costOf } from "@envs/models/prices";

import type { Database, Row } from "../../platform/database/tables.ts";
import { storedUsage } from "./stored-facts.ts";

/** Which rollouts of a run to list. */
interface RolloutFilter {
  readonly from: number;
  readonly limit: number;
  readonly phase?: string | undefined;
  readonly step?: number | undefined;
}

/** Lists a run's rollouts without their messages, by position. The caller must have read the run. */
export async function listRollouts(
  database: Database,
  { id, recipe: { price } }: Run,
  { from, limit, phase, step }: RolloutFilter,
): Promise<{ readonly items: RolloutEntry[]; readonly next: number | null }> {
  const rows = await database
    .selectFrom("rollouts")
    .where("run_id", "=", id)
    .where("position", ">=", from)
    .$if(phase !== undefined, (query) => query.where("phase", "=", phase ?? ""))
    .$if(step !== undefined, (query) => query.where("step", "=", step ?? 0))
    .orderBy("position")
    .limit(limit + 1)
    .selectAll()
    .execute();
  const items = rows.slice(0, limit).map((row) => toEntry(row, price));
  return { items, next: rows[limit]?.position ?? null };
}

type Price = Run["recipe"]["price"];

function toEntry(row: Row<"rollouts">, price: Price): RolloutEntry {
  return {
    position: row.position,
    phase: row.phase,
    step: row.step,
    exampleKey: row.example_key,
    exampleIndex: row.example_index,
    rolloutIndex: row.rollout_index,
    reward: row.reward,
    scores: { ...row.scores },
    stopReason: row.stop_reason,
    error:
      row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    isTruncated: row.is_truncated,
    isFiltered: row.is_filtered,
    turns: row.turns,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    isUsageKnown: row.is_usage_known,
    toolErrors: row.tool_errors.length,
    cost: price === null ? null : costOf(storedUsage(row), price),
  };
}

/** Lists the steps of a training whose rollouts were pushed, in the order of their rollouts. The caller must have read the run. */
export async function listSteps(
  database: Database,
  runId: string,
): Promise<readonly { readonly phase: string; readonly step: number }[]> {
  return await database
    .selectFrom("rollouts")
    .where("run_id", "=", runId)
    .groupBy(["phase", "step"])
    .orderBy(({ fn }) => fn.min("position"))
    .select(["phase", "step"])
    .execute();
}

/** One measurement of a training's step. */
export interface StepMetrics {
  readonly phase: string;
  readonly step: number;
  readonly kind: "sft" | "rl" | "eval";
  /** Seconds since the start of the training. */
  readonly at: number;
  readonly values: Record<string, number | null>;
}

/** Reads the curves of a training in the order of its steps. The caller must have read the run. */
export async function readMetrics(database: Database, runId: string): Promise<StepMetrics[]> {
  const rows = await database
    .selectFrom("run_metrics")
    .where("run_id", "=", runId)
    .orderBy("position")
    .select(["phase", "step", "kind", "seconds as at", "values"])
    .execute();
  return rows.map(({ phase, step, kind, at, values }) => ({
    phase,
    step,
    kind,
    at,
    values: { ...values },
  }));
}
