import type { Metrics } from "./schemas.ts";

type Result = Readonly<Record<string, unknown>>;

/** What NeMo Gym numbers tasks with. */
const taskField = "_ng_task_index";

/** The means of all numbers of verified rollouts: over all, and for each task. */
export function aggregate(results: readonly Result[]): Metrics {
  const byTask = Map.groupBy(results, (result) => result[taskField]);
  const groups = [...byTask].map(([task, group]) =>
    Object.assign(task === undefined ? {} : { [taskField]: task }, meansOf(group)),
  );
  const agent = meansOf(results);
  const reward = agent["mean/reward"];
  return {
    group_level_metrics: groups,
    agent_metrics: agent,
    key_metrics: reward === undefined ? {} : { "mean/reward": reward },
  };
}

function meansOf(results: readonly Result[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const result of results)
    for (const [name, value] of Object.entries(result)) {
      if (name.startsWith("_ng_") || (typeof value !== "number" && typeof value !== "boolean"))
        continue;
      const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: sum + Number(value), count: count + 1 });
    }
  return Object.fromEntries(
    [...sums].map(([name, { sum, count }]) => [`mean/${name}`, sum / count]),
  );
}
