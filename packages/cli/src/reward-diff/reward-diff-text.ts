import type { RewardDiff } from "@envs/records/bundle";

import { formatTable } from "../terminal/output.ts";
import { clean, paint } from "../terminal/text.ts";

/** Formats the result of replaying recorded rollouts, and the version that it requires. */
export function rewardDiffText(diff: RewardDiff): string {
  const { rollouts, rescored, conversations, unplayable, problem, scores, models } = diff;
  const changed = scores.filter((score) => score.changed > 0);
  return [
    `${paint("bold", `${rollouts} rollouts replayed`)}: ${rescored} with other scores, ${conversations} with other messages, ${unplayable} that cannot be replayed`,
    ...(problem === undefined ? [] : [paint("dim", `  the first: ${clean(problem)}`)]),
    ...(changed.length === 0 ? [] : ["", scoreChangeTable(changed)]),
    ...(models.length < 2 || diff.isSame ? [] : ["", modelTable(models)]),
    "",
    diff.isSame
      ? paint("green", "All rewards are the same: a patch or minor version is enough.")
      : paint("yellow", "Rewards or messages changed: publish a major version."),
  ].join("\n");
}

export function scoreChangeTable(scores: RewardDiff["scores"]): string {
  return formatTable([
    ["score", "changed", "before", "after", "largest"].map((head) => paint("dim", head)),
    ...scores.map(({ name, changed: count, before, after, largest }) => [
      clean(name),
      String(count),
      number(before),
      number(after),
      number(largest),
    ]),
  ]);
}

/** A table of the models with their ranks. */
export function modelTable(models: RewardDiff["models"]): string {
  return formatTable([
    ["model", "before", "after", "rank"].map((head) => paint("dim", head)),
    ...models.map(({ model, before, after, rankBefore, rankAfter }) => [
      clean(model),
      number(before),
      number(after),
      rankBefore === rankAfter ? String(rankBefore) : `${rankBefore} → ${rankAfter}`,
    ]),
  ]);
}

function number(value: number | null): string {
  return value === null ? "" : value.toFixed(3);
}
