import { clean } from "@envs/terminal";
import { liveLines } from "@envs/terminal/layout";

import { evaluationLine } from "./training-evaluation.ts";
import type { TrainingView } from "./training-view.ts";
import { trainingLine, trainingLines } from "./training.ts";

/** Shows the progress of a training run. */
export interface TrainingProgress {
  /** Call this after each change, and regularly so that the elapsed time is updated. */
  show(view: TrainingView): void;
  done(): void;
}

export interface TrainingProgressOptions {
  readonly stream: Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows" | "write">;
  /** The number of rows that an earlier part of a resumed run has already shown. */
  readonly shownRows?: number;
}

/** Shows updated lines in a terminal; elsewhere prints twenty lines per phase, and evaluations. */
export function trainingProgress({
  stream,
  shownRows = 0,
}: TrainingProgressOptions): TrainingProgress {
  return stream.isTTY ? terminalProgress(stream) : logProgress(stream, shownRows);
}

function terminalProgress(stream: TrainingProgressOptions["stream"]): TrainingProgress {
  const live = liveLines(stream);
  let lastDraw = -Infinity;
  let latest: TrainingView | undefined;
  const draw = (view: TrainingView): void => {
    lastDraw = performance.now();
    const size = {
      columns: Math.max(20, stream.columns || 80),
      rows: Math.max(4, stream.rows || 24),
    };
    live.draw(trainingLines(view, size));
  };
  return {
    show(view) {
      latest = view;
      if (performance.now() - lastDraw >= 100) draw(view);
    },
    done() {
      if (latest !== undefined) draw(latest);
      live.done();
    },
  };
}

function logProgress(
  stream: TrainingProgressOptions["stream"],
  shownRows: number,
): TrainingProgress {
  let printedRows = shownRows;
  let message: string | undefined;
  return {
    show(view) {
      for (; printedRows < view.rows.length; printedRows += 1) {
        const row = view.rows[printedRows]!;
        const steps = view.phases.find(({ name }) => name === row.phase)?.steps ?? 20;
        const isDue = row.step % Math.ceil(Math.max(steps, 1) / 20) === 0 || row.step === steps;
        if (row.kind === "eval") stream.write(`${evaluationLine(row)}\n`);
        else if (isDue)
          stream.write(`${trainingLine({ ...view, rows: view.rows.slice(0, printedRows + 1) })}\n`);
      }
      if ((view.message ?? "") !== "" && view.message !== message)
        stream.write(`${clean(view.message ?? "")}\n`);
      message = view.message;
    },
    done() {},
  };
}
