import type { JudgeUsages } from "@envs/core";

import type { JudgeUsageRow } from "./row-fields.ts";
import type { Row } from "./row.ts";
import { usageOf, usageRow } from "./usage-row.ts";

/** What judges cost, as records have it. */
export function judgeUsageRow(usages: JudgeUsages): Readonly<Record<string, JudgeUsageRow>> {
  return Object.fromEntries(
    Object.entries(usages).map(([id, { calls, cached, unknownCalls, ...usage }]) => [
      id,
      {
        calls,
        cached,
        ...usageRow(usage),
        unknown_calls: unknownCalls,
      },
    ]),
  );
}

/** Reads what judges cost. */
export function judgeUsageOf(rows: NonNullable<Row["judge_usage"]>): JudgeUsages {
  return Object.fromEntries(
    Object.entries(rows).map(([id, { calls, cached, ...row }]) => [
      id,
      {
        calls,
        cached,
        ...usageOf(row),
        unknownCalls: row.unknown_calls,
      },
    ]),
  );
}
