import { type Fields, readSample } from "@envs/records";

import type { RowIds } from "../../record/row-ids.ts";
import { summarizeRollout } from "../../record/summarize.ts";
import { viewRollout } from "../../record/view-rollout.ts";
import type { RolloutRow } from "../../run/run.ts";

/** The row of a sample's summary, which an `.eval` archive stores apart from the sample. */
export function summaryRow(summary: Fields, ids: RowIds): RolloutRow {
  const read = readSample(summary);
  const row = summarizeRollout(viewRollout(read), ids.next(read));
  const answer = read.scores.find((score) => score.answer !== undefined)?.answer;
  return { ...row, preview: row.preview || (answer ?? "").slice(0, 160) };
}
