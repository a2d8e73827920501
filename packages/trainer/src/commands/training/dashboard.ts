import { clean } from "@envs/cli/kit";
import { liveLines } from "@envs/cli/kit/layout";

import type { MetricsRow } from "../../report/metrics.ts";
import { backendOf } from "../../train/model-settings.ts";
import type { TrainingPlan } from "../../train/plan.ts";
import type { TrainingEvent } from "../../train/train.ts";
import { evaluationLine } from "./evaluation-line.ts";
import { trainingLine, trainingLines } from "./training-lines.ts";
import type { EarlierMetrics } from "./training-run.ts";
import type { TrainingView } from "./training-view.ts";

/** Shows the progress of a training run. */
export interface Dashboard {
  handle(event: TrainingEvent, row: MetricsRow | undefined): void;
  /** Shows how far the preparation of a phase is. */
  prepare(message: string): void;
  done(): void;
}

/** Starts a dashboard on stderr. `earlier` has the metrics of a resumed run. */
export function dashboard(
  title: string,
  plan: TrainingPlan,
  earlier: EarlierMetrics = { rows: [], seconds: 0 },
): Dashboard {
  const rows: MetricsRow[] = [...earlier.rows];
  const phases = Object.entries(plan.phases).map(([name, phase]) => ({
    name,
    steps: phase.kind === "rl" ? phase.steps : 0,
  }));
  const start = performance.now();
  /** The time of rows counts from the first step, which may be much later than the start of this dashboard. */
  let rowAt = start;
  const progress = trainingProgress({ stream: process.stderr, shownRows: rows.length });
  let message = "";
  const show = (): void => {
    const view: TrainingView = {
      title,
      phases,
      rows,
      seconds: earlier.seconds + (performance.now() - start) / 1000,
      sinceRow: (performance.now() - rowAt) / 1000,
      message,
      hasTokenCounts: backendOf(plan.model) !== "tiny",
    };
    progress.show(view);
  };
  const timer = setInterval(show, 500);
  timer.unref();
  return {
    handle(event, row) {
      if (row !== undefined) {
        rows.push(row);
        rowAt = performance.now();
      }
      if (event.type === "phase") {
        const phase = phases.find(({ name }) => name === event.phase);
        if (phase !== undefined) phase.steps = event.steps;
        if (event.conversations !== undefined)
          message = conversationsMessage(event.conversations, event.tooLong ?? 0);
      }
      if (event.type === "checkpoint" && event.step > 0)
        message = `checkpoint after step ${event.step} of ${event.phase}`;
      show();
    },
    prepare(progress) {
      message = progress;
      show();
    },
    done() {
      clearInterval(timer);
      progress.done();
    },
  };
}

function conversationsMessage(count: number, tooLong: number): string {
  const skipped = tooLong === 0 ? "" : `, skipping ${tooLong} that exceed the context`;
  return `training on ${count} conversations${skipped}`;
}

/** Draws views of a training run. */
interface TrainingProgress {
  /** Call this after each change, and regularly so that the elapsed time is updated. */
  show(view: TrainingView): void;
  done(): void;
}

interface TrainingProgressOptions {
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
