import { isReadable, parseRow } from "@envs/records";

import type { Lease, PlayedRow } from "../queue.ts";

/** Why the rows of a completed group are rejected; `undefined` if they are the rollouts of the lease. */
export function rowsProblem({ group }: Lease, rows: readonly PlayedRow[]): string | undefined {
  const missing = new Set(group.rolloutIndices);
  for (const { rolloutIndex, row } of rows) {
    if (!missing.delete(rolloutIndex))
      return `rollout ${rolloutIndex} is not in the group, or comes twice`;
    if (row.includes("\n")) return `the row of rollout ${rolloutIndex} has more than one line`;
    const rollout = parseRow(row);
    if (!isReadable(rollout))
      return `the row of rollout ${rolloutIndex} is not a rollout: ${rollout.problem}`;
    if (rollout.exampleKey !== group.example.key || rollout.exampleIndex !== group.example.index)
      return `the row of rollout ${rolloutIndex} is of example ${JSON.stringify(rollout.exampleKey)}, index ${rollout.exampleIndex}, not ${JSON.stringify(group.example.key)}, index ${group.example.index}`;
    if (rollout.rolloutIndex !== rolloutIndex)
      return `the row of rollout ${rolloutIndex} has the rollout index ${rollout.rolloutIndex}`;
  }
  return missing.size === 0 ? undefined : `rollout ${[...missing].join(", ")} is missing`;
}
