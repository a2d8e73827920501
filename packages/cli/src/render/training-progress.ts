import { clean } from "@envs/terminal";
import { liveLines } from "@envs/terminal/layout";

import { evaluationLine } from "./training-evaluation.ts";
import type { TrainingView } from "./training-view.ts";
import { trainingLine, trainingLines } from "./training.ts";

/** Shows how a training run is coming along. */
export interface TrainingProgress {
  /** Call it whenever something changed, or now and then so that the clock goes on. */
  show(view: TrainingView): void;
  done(): void;
}

export interface TrainingProgressOptions {
  readonly stream: Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows" | "write">;
  /** Rows of a resumed run that were shown when they were measured. */
  readonly shown?: number;
}

/** Starts showing a training run: lines that are redrawn in a terminal; elsewhere twenty lines a phase, and evaluations. */
export function trainingProgress({ stream, shown = 0 }: TrainingProgressOptions): TrainingProgress {
  return stream.isTTY ? redrawn(stream) : printed(stream, shown);
}

function redrawn(stream: TrainingProgressOptions["stream"]): TrainingProgress {
  const live = liveLines(stream);
  let drawn = -Infinity;
  let latest: TrainingView | undefined;
  const draw = (view: TrainingView): void => {
    drawn = performance.now();
    const size = {
      columns: Math.max(20, stream.columns || 80),
      rows: Math.max(4, stream.rows || 24),
    };
    live.draw(trainingLines(view, size));
  };
  return {
    show(view) {
      latest = view;
      if (performance.now() - drawn >= 100) draw(view);
    },
    done() {
      if (latest !== undefined) draw(latest);
      live.done();
    },
  };
}

function printed(stream: TrainingProgressOptions["stream"], shown: number): TrainingProgress {
  let printedRows = shown;
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
