import type { TrainingEvent, TrainingPlan } from "@envs/trainer";
import type { MetricsRow } from "@envs/trainer/node";

import { trainingProgress } from "../render/training-progress.ts";
import type { TrainingRow, TrainingView } from "../render/training-view.ts";
import type { EarlierMetrics } from "./resume-training.ts";

/** Shows the progress of a training run. */
export interface Dashboard {
  handle(event: TrainingEvent, row: MetricsRow | undefined): void;
  done(): void;
}

/** Starts a dashboard on stderr. `earlier` has the metrics of a resumed run. */
export function dashboard(
  title: string,
  plan: TrainingPlan,
  earlier: EarlierMetrics = { rows: [], seconds: 0 },
): Dashboard {
  const rows: TrainingRow[] = [...earlier.rows];
  const phases = Object.entries(plan.phases).map(([name, phase]) => ({
    name,
    steps: phase.kind === "rl" ? phase.steps : 0,
  }));
  const start = performance.now();
  const progress = trainingProgress({ stream: process.stderr, shownRows: rows.length });
  let message = "";
  const show = (): void => {
    const view: TrainingView = {
      title,
      phases,
      rows,
      seconds: earlier.seconds + (performance.now() - start) / 1000,
      message,
    };
    progress.show(view);
  };
  const timer = setInterval(show, 500);
  timer.unref();
  return {
    handle(event, row) {
      if (row !== undefined) rows.push(row);
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
    done() {
      clearInterval(timer);
      progress.done();
    },
  };
}

function conversationsMessage(count: number, tooLong: number): string {
  const remark =
    tooLong === 0 ? "all fit into the context" : `skipping ${tooLong} that exceed the context`;
  return `training on ${count} conversations, ${remark}`;
}
