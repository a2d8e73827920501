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

  async function* headNews(): AsyncGenerator<RunMessage, RunHead> {
    const head = await reader.readHead();
    if (JSON.stringify(head) !== sentHead) {
      sentHead = JSON.stringify(head);
      yield { type: "head", head };
    }
    return head;
  }

  while (!signal.aborted) {
    yield* headNews();
    const refresh = reader.refresh().then(() => true);
    // Sends rows while the rest of a large file is read.
    while (!(await Promise.race([refresh, sleep(50, false)])) && !signal.aborted) yield* news();
    yield* news();
    const { isComplete } = yield* headNews();
    if (!isReady) yield { type: "ready" };
    isReady = true;
    if (isComplete) return;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}
