import type { Environment, RolloutEvent } from "@envs/core";
import { summarizer, type Summarizer } from "@envs/core/engine";

import { paint } from "../terminal/text.ts";
import { figure } from "../text/figures.ts";
import { duration } from "../text/time.ts";

/** Shows the progress of a run: one updated line in a terminal, a line every five seconds elsewhere. */
export interface Progress {
  handle(event: RolloutEvent): void;
  done(): void;
}

export interface ProgressOptions {
  readonly environment: Environment;
  /** The number of rollouts still to play; `undefined` for a dataset of unknown size. */
  readonly total: number | undefined;
  readonly stream: NodeJS.WriteStream;
  /** Whether started rollouts may wait for a worker. */
  readonly isQueued?: boolean | undefined;
}

/** Starts showing progress on `stream`. */
export function progress({
  environment,
  total,
  stream,
  isQueued = false,
}: ProgressOptions): Progress {
  const sum: Summarizer = summarizer(environment);
  const started = performance.now();
  const isLive = stream.isTTY;
  let running = 0;
  let finished = 0;
  let retried = 0;
  let drawn = 0;

  const draw = (): void => {
    drawn = performance.now();
    const text = line(sum, {
      total,
      isQueued,
      running,
      finished,
      retried,
      seconds: (drawn - started) / 1000,
    });
    if (isLive) stream.write(`\r\u001B[2K${fit(text, stream.columns)}`);
    else stream.write(`${text}\n`);
  };
  const interval = isLive ? 100 : 5000;
  return {
    handle(event) {
      if (event.type === "start") running += 1;
      if (event.type === "retry") retried += 1;
      if (event.type === "finish") {
        running -= 1;
        finished += 1;
        sum.add(event.rollout);
      }
      if (performance.now() - drawn > interval && performance.now() - started > interval) draw();
    },
    done() {
      if (isLive) stream.write("\r\u001B[2K");
    },
  };
}

interface State {
  readonly isQueued: boolean;
  readonly total: number | undefined;
  readonly running: number;
  readonly finished: number;
  readonly retried: number;
  readonly seconds: number;
}

function line(
  sum: Summarizer,
  { total, isQueued, running, finished, retried, seconds }: State,
): string {
  const { reward, scores, failures } = sum.summary();
  const rate = finished / seconds;
  const left = total === undefined || rate === 0 ? undefined : (total - finished) / rate;
  const failed = Object.entries(failures).map(([code, count]) => `${code} ${count}`);
  return [
    `${finished}${total === undefined ? "" : `/${total}`} rollouts`,
    `${running} ${isQueued ? "in the queue" : "running"}`,
    `${figure(rate)}/s`,
    ...(left === undefined ? [] : [`${duration(left)} left`]),
    `reward ${figure(reward.mean)}`,
    ...Object.entries(scores).map(([name, { mean }]) => `${name} ${figure(mean)}`),
    ...(retried > 0 ? [`${retried} retried`] : []),
    ...(failed.length > 0 ? [`failed: ${failed.join(", ")}`] : []),
  ].join(" · ");
}

function fit(text: string, columns: number): string {
  return text.length < columns
    ? paint("dim", text)
    : paint("dim", `${text.slice(0, columns - 2)}…`);
}
