import { omitUndefined, type SeatRollout } from "@envs/core/engine";

import { fieldsOf, isFields, numberOf, textOf } from "./json.ts";
import { judgeUsageOf, judgeUsageRow } from "./judge-usage.ts";
import { readMessages } from "./read-message.ts";
import type { SeatRow } from "./row.ts";
import { feedbackOf, readFiltered, scoresOf, toolFieldsOf } from "./side-fields.ts";
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

/** Reads the conversation and the reward of another seat. */
export function seatOf(value: unknown): SeatRollout {
  const row = fieldsOf(value);
  const prompt = readMessages(row["prompt"], "user");
  const completion = readMessages(row["completion"], "assistant");
  const turns = turnsOf(row, prompt, completion);
  const reward = numberOf(row["reward"]);
  const isScored = reward !== undefined;
  return {
    prompt,
    completion,
    ...turns,
    isTruncated: row["is_truncated"] === true,
    isFiltered: readFiltered(row, turns.trajectory),
    usage: usageOf(row["token_usage"]),
    ...omitUndefined({
      model: textOf(row["model"]),
      reward,
      scores: isScored ? scoresOf(row["metrics"]) : undefined,
      feedback: feedbackOf(row["feedback"]),
      judgeUsage: isFields(row["judge_usage"]) ? judgeUsageOf(row["judge_usage"]) : undefined,
      ...toolFieldsOf(row),
    }),
  };
}
