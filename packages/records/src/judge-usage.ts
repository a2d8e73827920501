import type { JudgeUsages } from "@envs/core";
import { mapValues, noUsage } from "@envs/core/engine";

import { fieldsOf, numberOf } from "./json.ts";
import type { JudgeUsageRow } from "./row-fields.ts";
import { usageOf, usageRow } from "./usage-row.ts";

/** The usage of judges as a row stores it. */
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

export function judgeUsageOf(value: unknown): JudgeUsages {
  return mapValues(fieldsOf(value), (usage) => {
    const row = fieldsOf(usage);
    return {
      calls: numberOf(row["calls"]) ?? 0,
      cached: numberOf(row["cached"]) ?? 0,
      ...(usageOf(row) ?? noUsage),
      unknownCalls: numberOf(row["unknown_calls"]) ?? 0,
    };
  });
}
