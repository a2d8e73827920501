import type { Metrics } from "./schemas.ts";

type VerifyResult = Readonly<Record<string, unknown>>;

/** NeMo Gym's field for the index of a task. */
const taskField = "_ng_task_index";

/** The means of all numeric fields of verified rollouts: over all rollouts, and for each task. */
export function aggregateMetrics(results: readonly VerifyResult[]): Metrics {
  const resultsByTask = Map.groupBy(results, (result) => result[taskField]);
  const groups = [...resultsByTask].map(([task, group]) =>
    Object.assign(task === undefined ? {} : { [taskField]: task }, meansOf(group)),
  );
  const means = meansOf(results);
  const reward = means["mean/reward"];
  return {
    group_level_metrics: groups,
    agent_metrics: means,
    key_metrics: reward === undefined ? {} : { "mean/reward": reward },
  };
}

function meansOf(results: readonly VerifyResult[]): Record<string, number> {
  const totals = new Map<string, { sum: number; count: number }>();
  for (const result of results)
    for (const [name, value] of Object.entries(result)) {
      if (name.startsWith("_ng_") || (typeof value !== "number" && typeof value !== "boolean"))
        continue;
      const { sum, count } = totals.get(name) ?? { sum: 0, count: 0 };
      totals.set(name, { sum: sum + Number(value), count: count + 1 });
    }
  return Object.fromEntries(
    [...totals].map(([name, { sum, count }]) => [`mean/${name}`, sum / count]),
  );
}
