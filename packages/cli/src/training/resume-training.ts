import { join } from "node:path";

import { type MetricsRow, readMetrics, readState } from "@envs/trainer/node";

/** What a run that is gone on with had measured, and for how long it had run. */
export async function readEarlierRows(
  path: string,
  isResumed: boolean,
): Promise<{ readonly before: readonly MetricsRow[]; readonly seconds: number }> {
  const state = isResumed ? await readState(path) : undefined;
  if (state === undefined) return { before: [], seconds: 0 };
  const rows = await readMetrics(join(path, "metrics.jsonl")).catch(() => []);
  const last = rows.findLastIndex(({ phase, step }) => phase === state.phase && step <= state.step);
  return { before: rows.slice(0, last + 1), seconds: state.seconds };
}
