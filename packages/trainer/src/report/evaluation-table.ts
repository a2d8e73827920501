import { wilsonInterval } from "@envs/records";

import { formatNumber } from "./format-number.ts";
import { escapeMarkdown, table } from "./markdown-elements.ts";
import { outcomeColors } from "./series.ts";
import type { EvaluationCell } from "./training-report.ts";

/** One table per temperature, with a row per opponent and stage. */
export function evaluationTables(cells: readonly EvaluationCell[]): string {
  const temperatures = distinct(cells.map(({ temperature }) => temperature)).toSorted(
    (a, b) => b - a,
  );
  return temperatures
    .flatMap((temperature) => {
      const matches = cells.filter((cell) => cell.temperature === temperature);
      const note = temperature === 0 ? " (always the most probable token)" : "";
      return [`### Temperature ${temperature}${note}`, evaluationTable(matches)];
    })
    .join("\n\n");
}

function evaluationTable(cells: readonly EvaluationCell[]): string {
  const outcomes = outcomesOf(cells);
  const rows = distinct(cells.map(({ opponent }) => opponent)).flatMap((opponent) =>
    cells
      .filter((cell) => cell.opponent === opponent)
      .flatMap((cell, index) => {
        const name = index === 0 ? `**${escapeMarkdown(opponent)}**` : "";
        if (cell.games === 0 && cell.exact !== undefined)
          return [exactRow(cell, outcomes, [name, escapeMarkdown(cell.stage)])];
        const shares = outcomes.map((outcome) =>
          isShare(cells, outcome) ? sampledShare(cell, outcome) : formatMean(cell.means?.[outcome]),
        );
        const sampled = [
          name,
          escapeMarkdown(cell.stage),
          ...shares,
          cell.games.toLocaleString("en"),
        ];
        return cell.exact === undefined
          ? [sampled]
          : [sampled, exactRow(cell, outcomes, ["", "*exact*"])];
      }),
  );
  return table(
    [
      [
        "opponent",
        "stage",
        ...outcomes.map(
          (outcome) => `${isShare(cells, outcome) ? "% " : ""}${escapeMarkdown(outcome)}`,
        ),
        "games",
      ],
      ...rows,
    ],
    2,
  );
}

/** Whether no mean of a column is outside 0 to 1, so that the column is in percent. */
function isShare(cells: readonly EvaluationCell[], outcome: string): boolean {
  return cells.every(({ means = {} }) => {
    const mean = means[outcome] ?? 0;
    return mean >= 0 && mean <= 1;
  });
}

function formatMean(mean: number | undefined): string {
  return mean === undefined ? "–" : formatNumber(mean);
}

/** The share in percent; counts of games also have a confidence interval. */
function sampledShare({ counts, means = {}, games }: EvaluationCell, outcome: string): string {
  const count = counts[outcome];
  if (count !== undefined && games > 0) {
    const { low, high } = wilsonInterval(count / games, games);
    return `${percent(count / games)} (${percent(low)}–${percent(high)})`;
  }
  const mean = means[outcome];
  return mean === undefined ? "–" : percent(mean);
}

function exactRow(
  { exact = {}, exactNote }: EvaluationCell,
  outcomes: readonly string[],
  names: readonly [opponent: string, stage: string],
): string[] {
  const shares = outcomes.map((outcome) => {
    const share = exact[outcome];
    return share === undefined ? "" : `*${exactPercent(share)}*`;
  });
  return [...names, ...shares, exactNote === undefined ? "" : `*${escapeMarkdown(exactNote)}*`];
}

/** The names of the results, in order of appearance. */
export function resultNames(cells: readonly EvaluationCell[]): string[] {
  return distinct(
    cells.flatMap(({ counts, means, exact }) => Object.keys({ ...counts, ...means, ...exact })),
  );
}

/** The standard outcomes in their own order, then the others in order of appearance. */
function outcomesOf(cells: readonly EvaluationCell[]): string[] {
  const names = resultNames(cells);
  const standard = Object.keys(outcomeColors);
  return [
    ...standard.filter((outcome) => names.includes(outcome)),
    ...names.filter((outcome) => !standard.includes(outcome)),
  ];
}

function percent(share: number): string {
  return String(Number((share * 100).toFixed(1)));
}

/** Rounds to two decimals, but only exact shares of 0 and 1 to 0 and 100. */
function exactPercent(share: number): string {
  const rounded = Number((share * 100).toFixed(2));
  if (rounded === 0 && share > 0) return "< 0.01";
  if (rounded === 100 && share < 1) return "> 99.99";
  return String(rounded);
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
