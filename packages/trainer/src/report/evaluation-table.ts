import { plain, table } from "./markup.ts";
import { outcomeColors } from "./series.ts";
import type { EvaluationCell } from "./training-report.ts";
import { wilson } from "./wilson.ts";

/** The tables of before and after: one for each temperature, grouped by opponent, stage under stage. */
export function evaluationTables(cells: readonly EvaluationCell[]): string {
  const temperatures = distinct(cells.map(({ temperature }) => temperature)).toSorted(
    (a, b) => b - a,
  );
  return temperatures
    .flatMap((temperature) => {
      const group = cells.filter((cell) => cell.temperature === temperature);
      const meaning = temperature === 0 ? " (always the most probable token)" : "";
      return [`### Temperature ${temperature}${meaning}`, evaluationTable(group)];
    })
    .join("\n\n");
}

function evaluationTable(cells: readonly EvaluationCell[]): string {
  const outcomes = outcomesOf(cells);
  const rows = distinct(cells.map(({ opponent }) => opponent)).flatMap((opponent) =>
    cells
      .filter((cell) => cell.opponent === opponent)
      .flatMap((cell, index) => {
        const name = index === 0 ? `**${plain(opponent)}**` : "";
        const measured = outcomes.map((outcome) => measure(cell, outcome));
        const first = [name, plain(cell.stage), ...measured, cell.games.toLocaleString("en")];
        return cell.exact === undefined ? [first] : [first, exactly(cell, outcomes)];
      }),
  );
  return table(
    [["opponent", "stage", ...outcomes.map((outcome) => `% ${plain(outcome)}`), "games"], ...rows],
    2,
  );
}

/** The share in percent; for what was counted, with its confidence interval. */
function measure({ counts, means = {}, games }: EvaluationCell, outcome: string): string {
  const count = counts[outcome];
  if (count !== undefined && games > 0) {
    const [low, high] = wilson(count, games);
    return `${percent(count / games)} (${percent(low)}–${percent(high)})`;
  }
  const mean = means[outcome];
  return mean === undefined ? "–" : percent(mean);
}

function exactly({ exact = {}, exactNote }: EvaluationCell, outcomes: readonly string[]): string[] {
  const shares = outcomes.map((outcome) => {
    const share = exact[outcome];
    return share === undefined ? "" : `*${exactPercent(share)}*`;
  });
  return ["", "*exact*", ...shares, exactNote === undefined ? "" : `*${plain(exactNote)}*`];
}

/** The known outcomes in their own order, then the others as they come. */
function outcomesOf(cells: readonly EvaluationCell[]): string[] {
  const given = distinct(
    cells.flatMap(({ counts, means = {}, exact = {} }) => [
      ...Object.keys(counts),
      ...Object.keys(means),
      ...Object.keys(exact),
    ]),
  );
  const known = Object.keys(outcomeColors);
  return [
    ...known.filter((outcome) => given.includes(outcome)),
    ...given.filter((outcome) => !known.includes(outcome)),
  ];
}

function percent(share: number): string {
  return String(Number((share * 100).toFixed(1)));
}

/** Rounds nothing to 0 or 100 that is not: an exact walk finds lines of one in ten thousand. */
function exactPercent(share: number): string {
  const rounded = Number((share * 100).toFixed(2));
  if (rounded === 0 && share > 0) return "< 0.01";
  if (rounded === 100 && share < 1) return "> 99.99";
  return String(rounded);
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
