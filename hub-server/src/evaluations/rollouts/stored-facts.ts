import type { RolloutFacts } from "@envs/core/engine";

import type { Database, Row } from "../../platform/database/tables.ts";

/** Reads the facts of all rollouts of a run, by position. */
export async function storedFacts(
  database: Database,
  runId: string,
): Promise<readonly RolloutFacts[]> {
  const rows = await database
    .selectFrom("rollouts")
    .where("run_id", "=", runId)
    .orderBy("position")
    .selectAll()
    .execute();
  return rows.map(toFacts);
}

function toFacts(row: Row<"rollouts">): RolloutFacts {
  const base = {
    exampleIndex: row.example_index,
    exampleKey: row.example_key,
    rolloutIndex: row.rollout_index,
    turns: row.turns,
    usage: storedUsage(row),
    isUsageKnown: row.is_usage_known,
    isTruncated: row.is_truncated,
    isFiltered: row.is_filtered,
    toolErrors: row.tool_errors,
    ...row.uses,
  };
  if (row.error_code !== null)
    return {
      status: "failed",
      ...base,
      error: { code: row.error_code, message: row.error_message ?? "" },
    };
  return {
    status: "scored",
    ...base,
    stopReason: row.stop_reason ?? "end",
    reward: row.reward ?? 0,
    scores: row.scores,
  };
}

/** The tokens of a rollout. */
export function storedUsage(row: Row<"rollouts">): RolloutFacts["usage"] {
  return {
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens ?? undefined,
    cacheWriteTokens: row.cache_write_tokens ?? undefined,
  };
}
