import type { LeaderboardRow, RolloutEntry } from "@envs/hub-client";

/** A column of a table: its name, and its cell in a row. */
type Column<Row> = readonly [name: string, cellOf: (row: Row) => Cell];

const leaderboardColumns: readonly Column<LeaderboardRow>[] = [
  ["rank", ({ rank }) => rank],
  ["tied", ({ isTied }) => isTied],
  ["run", ({ run }) => run.id],
  ["model", ({ run }) => run.recipe.model],
  ["owner", ({ run }) => run.owner],
  ["version", ({ run }) => run.recipe.version],
  ["config_hash", ({ run }) => run.recipe.configHash],
  ["example_set", ({ run }) => run.recipe.exampleSet],
  ["reward", ({ run }) => run.summary.ranked.reward],
  ["low_95", ({ run }) => run.summary.ranked.interval?.low],
  ["high_95", ({ run }) => run.summary.ranked.interval?.high],
  ["failed_reward", ({ run }) => run.summary.ranked.failedReward],
  ["mean_of_scored", ({ run }) => run.summary.reward.mean],
  ["examples", ({ run }) => run.summary.examples],
  ["rollouts", ({ run }) => run.summary.counts.total],
  ["scored", ({ run }) => run.summary.counts.scored],
  ["failed", ({ run }) => run.summary.counts.failed],
  ["pass_at_1", ({ run }) => run.summary.ranked.passAtK["1"]],
  ["input_tokens", ({ run }) => run.summary.usage.inputTokens],
  ["output_tokens", ({ run }) => run.summary.usage.outputTokens],
  ["cost", ({ run }) => run.summary.cost],
  ["badges", ({ run }) => run.badges.map(({ name }) => name).join(" ")],
  ["seed", ({ run }) => run.recipe.seed],
  ["sampling", ({ run }) => JSON.stringify(run.recipe.sampling)],
  ["pushed_at", ({ run }) => run.pushedAt],
];

/** A leaderboard as CSV. */
export function leaderboardCsv(rows: readonly LeaderboardRow[]): string {
  return tableOf(leaderboardColumns, rows);
}

/** The rollouts of a run as CSV, one column for each score. */
export function rolloutsCsv(rollouts: readonly RolloutEntry[]): string {
  const names = [...new Set(rollouts.flatMap(({ scores }) => Object.keys(scores)))].toSorted();
  const columns: readonly Column<RolloutEntry>[] = [
    ["position", ({ position }) => position],
    ["phase", ({ phase }) => phase],
    ["step", ({ step }) => step],
    ["example_key", ({ exampleKey }) => exampleKey],
    ["example_index", ({ exampleIndex }) => exampleIndex],
    ["rollout_index", ({ rolloutIndex }) => rolloutIndex],
    ["reward", ({ reward }) => reward],
    ...names.map((name): Column<RolloutEntry> => [`score_${name}`, ({ scores }) => scores[name]]),
    ["stop_reason", ({ stopReason }) => stopReason],
    ["error", ({ error }) => error?.code],
    ["truncated", ({ isTruncated }) => isTruncated],
    ["filtered", ({ isFiltered }) => isFiltered],
    ["turns", ({ turns }) => turns],
    ["input_tokens", ({ inputTokens }) => inputTokens],
    ["output_tokens", ({ outputTokens }) => outputTokens],
    ["cost", ({ cost }) => cost],
  ];
  return tableOf(columns, rollouts);
}

function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return csvOf(
    columns.map(([name]) => name),
    rows.map((row) => columns.map(([, cellOf]) => cellOf(row))),
  );
}

/** A cell of a table. */
type Cell = string | number | boolean | null | undefined;

/** Writes a table as CSV (RFC 4180). Spreadsheets would run texts that begin like formulas, so these get an apostrophe. */
function csvOf(header: readonly string[], rows: Iterable<readonly Cell[]>): string {
  return [header, ...rows].map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
