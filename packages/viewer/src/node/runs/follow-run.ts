import { setTimeout as sleep } from "node:timers/promises";

import type { RolloutRow, RunHead, RunMessage } from "../../run/run.ts";
import type { RunReader } from "./run-reader.ts";

/** A batch of rows that a browser parses within a frame or two. */
const batchSize = 2000;
const pollMs = 500;

/** Sends the present data of a run, then its changes until the run is complete or the signal aborts. */
export async function* followRun(
  reader: RunReader,
  signal: AbortSignal,
): AsyncGenerator<RunMessage> {
  let generation = reader.generation;
  let sentRows = 0;
  let sentCurves = 0;
  let sentHead = "";
  let isReady = false;

  function* news(): Generator<RunMessage> {
    if (reader.generation !== generation) {
      generation = reader.generation;
      sentRows = 0;
      sentCurves = 0;
      yield { type: "reset" };
    }
    while (sentRows < reader.rows.length) {
      const rows: readonly RolloutRow[] = reader.rows.slice(sentRows, sentRows + batchSize);
      sentRows += rows.length;
      yield { type: "rows", rows };
    }
    const points = reader.curves.slice(sentCurves);
    sentCurves += points.length;
    if (points.length > 0) yield { type: "curves", points };
  }

  const head = async (): Promise<RunHead> => await reader.readHead();
  while (!signal.aborted) {
    let current = await head();
    if (JSON.stringify(current) !== sentHead) {
      sentHead = JSON.stringify(current);
      yield { type: "head", head: current };
    }
    const refresh = reader.refresh().then(() => true);
    // Sends rows while the rest of a large file is read.
    while (!(await Promise.race([refresh, sleep(50, false)])) && !signal.aborted) yield* news();
    yield* news();
    current = await head();
    if (JSON.stringify(current) !== sentHead) {
      sentHead = JSON.stringify(current);
      yield { type: "head", head: current };
    }
    if (!isReady) yield { type: "ready" };
    isReady = true;
    if (current.isComplete) return;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}
