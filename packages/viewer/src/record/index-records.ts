import { isReadable, readRecord } from "@envs/records";

import type { RolloutRow } from "../run/run.ts";
import { RowIds } from "./row-ids.ts";
import { brokenRow, summarizeRollout } from "./summarize.ts";
import { viewRollout } from "./view-rollout.ts";

/** Summarizes the records of a run, one after another, in the order of its file. */
export class RecordIndexer {
  readonly #ids = new RowIds();
  readonly #scores = new Set<string>();

  /** The names of all scores so far, in the order of their first record. */
  get scoreNames(): readonly string[] {
    return [...this.#scores];
  }

  /** The rows of a record; one broken row if it is not a rollout. `range` is its place in the file of JSON lines. */
  add(text: string, range?: readonly [number, number]): readonly RolloutRow[] {
    const record = readRecord(text);
    if (!isReadable(record))
      return [brokenRow(record.problem, { ...this.#ids.nextBroken(), range })];
    return record.map((read, part) => {
      for (const { name } of read.scores) this.#scores.add(name);
      return summarizeRollout(viewRollout(read), {
        ...this.#ids.next(read),
        range,
        ...(record.length > 1 ? { part } : {}),
      });
    });
  }
}
