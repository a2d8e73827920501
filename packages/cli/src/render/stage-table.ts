import { paint } from "@envs/terminal";

/** How a model did at a stage of its training. */
export interface StageCell {
  readonly stage: string;
  readonly opponent: string;
  readonly temperature: number;
  readonly games: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly means?: Readonly<Record<string, number>>;
  readonly exact?: Readonly<Record<string, number>>;
  readonly exactNote?: string;
}

/** A table with a row for each stage, below each opponent and temperature. Shares are in percent. */
export function stageTable(cells: readonly StageCell[]): string {
  const columns = [
    ...new Set(
      cells.flatMap(({ counts, means = {} }) => [...Object.keys(counts), ...Object.keys(means)]),
    ),
  ];
  const groups = Map.groupBy(cells, (cell) => `${cell.opponent}, temperature ${cell.temperature}`);
  const width = Math.max(10, ...cells.map(({ stage }) => stage.length)) + 2;
  const heading = columns.map((name) => name.padStart(Math.max(8, name.length + 2))).join("");
  return [...groups]
    .flatMap(([title, members]) => [
      paint("bold", title),
      paint("dim", "".padEnd(width) + heading),
      members.flatMap((cell) => rows(cell, columns, width)).join("\n"),
      "",
    ])
    .join("\n");
}

function rows(cell: StageCell, columns: readonly string[], width: number): string[] {
  const { exact, exactNote } = cell;
  const sampled = cell.stage.padEnd(width) + columns.map((name) => figure(cell, name)).join("");
  if (exact === undefined) return [sampled];
  const figures = columns.map((name) =>
    percent(exact[name]).padStart(Math.max(8, name.length + 2)),
  );
  return [
    sampled,
    paint("dim", `${"  exact".padEnd(width)}${figures.join("")}  ${exactNote ?? ""}`),
  ];
}

function figure({ counts, means = {}, games }: StageCell, name: string): string {
  const count = counts[name];
  const share = count === undefined ? means[name] : count / games;
  return percent(share).padStart(Math.max(8, name.length + 2));
}

function percent(share: number | undefined): string {
  return share === undefined ? "–" : (100 * share).toFixed(1);
}
