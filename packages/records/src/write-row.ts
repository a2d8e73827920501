import type { Failure, Rollout } from "@envs/core";
import { mapValues, omitUndefined, type Span } from "@envs/core/engine";

import { branchRow, subModelUsageRow } from "./branch-rows.ts";
import { judgeUsageRow } from "./judge-usage.ts";
import { inSeconds, microseconds, seconds } from "./model-call.ts";
import type { ErrorRow } from "./row-fields.ts";
import type { Row } from "./row.ts";
import { seatRow } from "./seat-rows.ts";
import { turnRows } from "./turn-rows.ts";
import { usageRow } from "./usage-row.ts";

/** Converts a rollout to a row of `results.jsonl`. */
export function toRow(rollout: Rollout): Row {
  const { example } = rollout;
  const { answer, info } = example as { readonly answer?: unknown; readonly info?: unknown };
  const isScored = rollout.status === "scored";
  const metrics = isScored ? rollout.scores : {};
  const fields: Row = {
    example_id: rollout.exampleIndex,
    example_key: rollout.exampleKey,
    rollout_index: rollout.rolloutIndex,
    environment: rollout.environment,
    ...omitUndefined({ part: rollout.part }),
    example: { ...example },
    prompt: rollout.prompt,
    completion: rollout.completion,
    answer,
    info,
    reward: isScored ? rollout.reward : null,
    metrics,
    ...(isScored && rollout.feedback !== undefined ? { feedback: rollout.feedback } : {}),
    stop_condition: isScored ? rollout.stopReason : "has_error",
    is_completed: isScored,
    is_truncated: rollout.isTruncated,
    is_filtered: rollout.isFiltered,
    error: isScored ? null : errorRow(rollout.error),
    timing: timingRow(rollout),
    token_usage: usageRow(rollout.usage),
    ...(rollout.judgeUsage === undefined ? {} : { judge_usage: judgeUsageRow(rollout.judgeUsage) }),
    ...turnRows(rollout),
    ...omitUndefined({ seat: rollout.seat }),
    ...(rollout.otherSeats && { other_seats: mapValues(rollout.otherSeats, seatRow) }),
    ...(rollout.branches === undefined ? {} : { branches: rollout.branches.map(branchRow) }),
    ...omitUndefined({ sub_model_refusals: rollout.subModelRefusals }),
    ...attemptFields(rollout),
    ...omitUndefined({
      tools: rollout.tools,
      tool_errors: rollout.toolErrors,
      tool_defs: rollout.toolSpecs,
    }),
  };
  // As in verifiers, each score is also a field of the row, unless another field has its name.
  return { ...metrics, ...fields };
}

function attemptFields({ earlierAttempts }: Rollout): Pick<Row, "attempts" | "earlier_attempts"> {
  if (earlierAttempts === undefined) return {};
  return {
    attempts: earlierAttempts.length + 1,
    earlier_attempts: earlierAttempts.map(({ error, usage, judgeUsage, subModelUsage }) => ({
      error: errorRow(error),
      token_usage: usageRow(usage),
      ...(judgeUsage === undefined ? {} : { judge_usage: judgeUsageRow(judgeUsage) }),
      ...(subModelUsage && { sub_model_usage: subModelUsageRow(subModelUsage) }),
    })),
  };
}

function errorRow(error: Failure): ErrorRow {
  const { code, message, chain } = error;
  return {
    code,
    message,
    chain,
    is_fatal: error.isFatal,
    error: chain[0]?.split(":")[0] ?? "RolloutError",
    error_chain_repr: chain.join(" -> "),
    error_chain_str: chain.join(" -> "),
  };
}

function timingRow({ timing, trajectory }: Rollout): NonNullable<Row["timing"]> {
  const turns = trajectory.flatMap(({ model, environment }) => [model, environment]);
  const total = length({ start: timing.setup.start, end: timing.scoring.end });
  const known = [timing.setup, timing.scoring, ...turns].reduce(
    (sum, span) => sum + length(span),
    0,
  );
  return {
    start_time: inSeconds(microseconds(timing.setup.start)),
    setup: seconds(timing.setup),
    generation: seconds(timing.generation),
    scoring: seconds(timing.scoring),
    model: trajectory.map((turn) => seconds(turn.model)),
    env: trajectory.map((turn) => seconds(turn.environment)),
    total: inSeconds(total),
    overhead: inSeconds(Math.max(0, total - known)),
  };
}

/** The duration of a span in whole microseconds. Their sums are exact, so a row that is read and written does not change. */
function length({ start, end }: Span): number {
  return microseconds(end) - microseconds(start);
}
