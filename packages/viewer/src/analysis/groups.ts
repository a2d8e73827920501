import type { RolloutRow } from "../run/run.ts";
import { deviation, mean } from "./statistics.ts";

/** The rollouts of one example. */
export interface ExampleGroup {
  readonly key: string;
  readonly example: string;
  readonly rows: readonly RolloutRow[];
  /** The mean reward of the scored rollouts. */
  readonly mean: number | null;
  readonly deviation: number;
  readonly passed: number;
  readonly scored: number;
}

/** Groups rows by example, in the order of the first row of each. */
export function groupByExample(
  rows: readonly RolloutRow[],
  passThreshold: number,
): readonly ExampleGroup[] {
  return [...Map.groupBy(rows, ({ key }) => key)].map(([key, group]) => {
    const rewards = group.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    return {
      key,
      example: group[0]!.example,
      rows: group,
      mean: mean(rewards),
      deviation: deviation(rewards),
      passed: rewards.filter((reward) => reward >= passThreshold).length,
      scored: rewards.length,
    };
  });
}

/** The reward minus the mean of the example's other attempts and itself, as GRPO's baseline; `undefined` for a lone rollout. */
export function groupAdvantage(group: ExampleGroup, row: RolloutRow): number | undefined {
  if (group.scored < 2 || group.mean === null || row.reward === null) return undefined;
  return row.reward - group.mean;
}
