import { paint, shellArgument } from "@envs/cli/kit";
import { percent, nearPath, pathArgument } from "@envs/cli/kit/layout";

import type { TrainingOutcome } from "../../node/run-training.ts";
import { resultNames } from "../../report/evaluation-table.ts";
import type { BackendName } from "../../train/model-settings.ts";

/** Formats the end of a training run: the results by stage, the report's path, and how to use or resume the run. */
export function trainingOutcomeText(
  { path, isComplete, cells }: TrainingOutcome,
  { reportPath, prefix }: { readonly reportPath: string; readonly prefix: BackendName },
): string {
  const label = (text: string): string => paint("dim", text.padEnd(9));
  const next = isComplete
    ? [`${label("use")} -m ${shellArgument(`${prefix}:${nearPath(path)}`)}`]
    : [
        "",
        paint(
          "yellow",
          `This run is incomplete. To resume it: envs train --resume ${pathArgument(path)}`,
        ),
      ];
  return ["", stageTable(cells), `${label("report")} ${nearPath(reportPath)}`, ...next].join("\n");
}

/** A model's results against an opponent at a stage of training. */
type StageCell = TrainingOutcome["cells"][number];

/** One table per opponent and temperature, with a row per stage. Shares are percentages. */
function stageTable(cells: readonly StageCell[]): string {
  const columns = resultNames(cells);
  const groups = Map.groupBy(cells, (cell) => `${cell.opponent}, temperature ${cell.temperature}`);
  const width = Math.max(10, ...cells.map(({ stage }) => stage.length)) + 2;
  const heading = columns.map((name) => name.padStart(Math.max(8, name.length + 2))).join("");
  return [...groups]
    .flatMap(([title, members]) => [
      paint("bold", title),
      paint("dim", "".padEnd(width) + heading),
      members.flatMap((cell) => stageRows(cell, columns, width)).join("\n"),
      "",
    ])
    .join("\n");
}

function stageRows(cell: StageCell, columns: readonly string[], width: number): string[] {
  const { exact, exactNote } = cell;
  const figures = columns.map((name) =>
    shareText(exact?.[name]).padStart(Math.max(8, name.length + 2)),
  );
  const exactRow = (title: string): string =>
    paint("dim", `${title.padEnd(width)}${figures.join("")}  ${exactNote ?? ""}`);
  if (cell.games === 0 && exact !== undefined) return [exactRow(cell.stage)];
  const sampled = cell.stage.padEnd(width) + columns.map((name) => figure(cell, name)).join("");
  if (exact === undefined) return [sampled];
  return [sampled, exactRow("  exact")];
}

function figure({ counts, means = {}, games }: StageCell, name: string): string {
  const count = counts[name];
  const share = count === undefined ? means[name] : count / games;
  return shareText(share).padStart(Math.max(8, name.length + 2));
}

function shareText(share: number | undefined): string {
  return share === undefined ? "–" : percent(share, 1);
}
