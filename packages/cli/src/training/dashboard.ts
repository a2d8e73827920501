import type { TrainingEvent, TrainingPlan } from "@envs/trainer";
import type { MetricsRow } from "@envs/trainer/node";

import { trainingProgress } from "../render/training-progress.ts";
import type { TrainingRow, TrainingView } from "../render/training-view.ts";

/** Shows a training run while it goes on. */
export interface Dashboard {
  handle(event: TrainingEvent, row: MetricsRow | undefined): void;
  done(): void;
}

/** Starts showing a run. `before`: rows of sessions before this one. */
export function dashboard(
  title: string,
  plan: TrainingPlan,
  { before, seconds }: { readonly before: readonly MetricsRow[]; readonly seconds: number },
): Dashboard {
  const rows: TrainingRow[] = [...before];
  const phases = Object.entries(plan.phases).map(([name, phase]) => ({
    name,
    steps: phase.kind === "rl" ? phase.steps : 0,
  }));
  const began = performance.now();
  const progress = trainingProgress({ stream: process.stderr, shown: before.length });
  let message = "";
  const show = (): void => {
    const view: TrainingView = {
      title,
      phases,
      rows,
      seconds: seconds + (performance.now() - began) / 1000,
      message,
    };
    progress.show(view);
  };
  const clock = setInterval(show, 500);
  clock.unref();
  return {
    handle(event, row) {
      if (row !== undefined) rows.push(row);
      if (event.type === "phase") {
        const phase = phases.find(({ name }) => name === event.phase);
        if (phase !== undefined) phase.steps = event.steps;
        if (event.conversations !== undefined)
          message = conversationCounts(event.conversations, event.tooLong ?? 0);
      }
      if (event.type === "checkpoint" && event.step > 0)
        message = `checkpoint after step ${event.step} of ${event.phase}`;
      show();
    },
    done() {
      clearInterval(clock);
      progress.done();
    },
  };
}

function conversationCounts(count: number, tooLong: number): string {
  const left =
    tooLong === 0 ? "all fit the context" : `${tooLong} more are longer than the context`;
  return `learning from ${count} conversations, ${left}`;
}
