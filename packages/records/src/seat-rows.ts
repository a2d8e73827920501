import { isFiltered, omitUndefined, type SeatRollout } from "@envs/core/engine";

import { judgeUsageOf, judgeUsageRow } from "./judge-usage.ts";
import type { SeatRow } from "./row.ts";
import { turnRows, turnsOf } from "./turn-rows.ts";
import { usageOf, usageRow } from "./usage-row.ts";

/** Converts the side of another seat to its row. */
export function seatRow(side: SeatRollout): SeatRow {
  const { model, prompt, completion, reward, scores, feedback, judgeUsage } = side;
  return {
    ...omitUndefined({ model }),
    prompt,
    completion,
    reward: reward ?? null,
    metrics: scores ?? {},
    ...omitUndefined({ feedback }),
    is_truncated: side.isTruncated,
    is_filtered: side.isFiltered,
    token_usage: usageRow(side.usage),
    ...(judgeUsage && { judge_usage: judgeUsageRow(judgeUsage) }),
    ...turnRows(side),
    ...omitUndefined({
      tools: side.tools,
      tool_errors: side.toolErrors,
      tool_defs: side.toolSpecs,
    }),
  };
}

/** Reads the side of another seat. */
export function seatOf(row: SeatRow): SeatRollout {
  const { prompt, completion, reward, metrics } = row;
  const turns = turnsOf(row, prompt, completion);
  const isScored = typeof reward === "number";
  return {
    prompt,
    completion,
    ...turns,
    isTruncated: row.is_truncated ?? false,
    isFiltered: row.is_filtered ?? isFiltered(turns.trajectory),
    usage: usageOf(row.token_usage),
    ...omitUndefined({
      model: row.model ?? undefined,
      reward: isScored ? reward : undefined,
      scores: isScored ? (metrics ?? {}) : undefined,
      feedback: row.feedback ?? undefined,
      judgeUsage: row.judge_usage ? judgeUsageOf(row.judge_usage) : undefined,
      tools: row.tools ?? undefined,
      toolErrors: row.tool_errors ?? undefined,
      toolSpecs: row.tool_defs ?? undefined,
    }),
  };
}
