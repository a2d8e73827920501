import { paint } from "@envs/terminal";
import type { TrainingOutcome } from "@envs/trainer/node";

import { nearPath } from "./run-summary.ts";
import { stageTable } from "./stage-table.ts";

/** What is said when training ends. */
export function closing(
  { path, isComplete, cells }: TrainingOutcome,
  { report, isJson }: { readonly report: string; readonly isJson: boolean },
): string {
  if (isJson)
    return `${JSON.stringify({ run: path, is_complete: isComplete, report, stages: cells })}\n`;
  const lines = ["", stageTable(cells), `${paint("dim", "report".padEnd(9))} ${nearPath(report)}`];
  if (isComplete) lines.push(`${paint("dim", "use it".padEnd(9))} -m tiny:${nearPath(path)}`);
  else
    lines.push(
      "",
      paint(
        "yellow",
        `This run is not complete. To go on with it: envs train --resume ${nearPath(path)}`,
      ),
    );
  return `${lines.join("\n")}\n`;
}
