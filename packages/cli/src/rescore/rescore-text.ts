import type { RewardDiff } from "@envs/records/bundle";

import { modelTable, scoreChangeTable } from "../reward-diff/reward-diff-text.ts";
import { clean, paint } from "../terminal/text.ts";
import { nearPath } from "../text/run-path.ts";
import type { RescoreRow, RunRescore } from "./rescore-run.ts";
import type { RescoreReport } from "./rescore-runs.ts";

export function rescoreText({ runs, scores, models, unjudged }: RescoreReport): string {
  const changed = scores.filter((score) => score.changed > 0);
  const isSame = runs.every(({ counts }) => counts.changed === 0 && counts.diverged === 0);
  return [
    ...runs.flatMap((run) => [...runLines(run), ""]),
    ...(changed.length === 0 ? [] : [scoreChangeTable(changed), ""]),
    ...(models.length < 2 ? [] : [modelTable(models), rankText(models), ""]),
    ...(unjudged.length === 0
      ? []
      : [
          paint(
            "yellow",
            `Judged scores are as stored: ${unjudged.join(", ")}. To ask a judge again: --judge <model>`,
          ),
        ]),
    ...(isSame ? [paint("green", "All rewards are the same.")] : []),
  ]
    .join("\n")
    .trimEnd();
}

function runLines({ model, counts, largest, diverged, rescored }: RunRescore): readonly string[] {
  const { scored, changed, failed, unreadable } = counts;
  const others = [
    [counts.diverged, "diverged and left out"],
    [failed, "had failed"],
    [unreadable, "cannot be read"],
  ] as const;
  const rest = others.flatMap(([count, text]) => (count === 0 ? [] : [`, ${count} ${text}`]));
  return [
    `${paint("bold", clean(model))}: ${scored} rescored, ${changed} with other scores${rest.join("")}`,
    ...largest.map((row) => `  ${place(row)}  ${changes(row)}`),
    ...diverged.map((row) =>
      paint("dim", `  ${place(row)}  diverged: ${clean(row.diverged!.problem)}`),
    ),
    `  written ${nearPath(rescored)}`,
  ];
}

function place({ example_id: example, rollout_index: rollout }: RescoreRow): string {
  return `example ${example}, rollout ${rollout}`;
}

function changes({ reward = [0, 0], scores = {} }: RescoreRow): string {
  const list = Object.entries(scores).map(([name, values]) => `${clean(name)} ${arrow(values)}`);
  return `reward ${arrow(reward)}${list.length === 0 ? "" : ` (${list.join(", ")})`}`;
}

function arrow([before, after]: readonly [number | null, number | null]): string {
  const text = (value: number | null): string => (value === null ? "none" : value.toFixed(3));
  return `${text(before)} → ${text(after)}`;
}

function rankText(models: RewardDiff["models"]): string {
  return models.some(({ rankBefore, rankAfter }) => rankBefore !== rankAfter)
    ? paint("yellow", "Models swap places.")
    : "Every model keeps its place.";
}
