import { type Environment, type Rollout, type RolloutsOptions } from "@envs/core";
import {
  defaultExamples,
  defaultRolloutsPerExample,
  describeScores,
  examples,
  type KeyedExample,
} from "@envs/core/engine";
import { isReadable, parseRow } from "@envs/core/records";

import { failedRollout } from "./failed-rollout.ts";
import { groupId, groupsOf } from "./group.ts";
import { persist, type PersistOptions } from "./persist.ts";
import type { CoordinatorQueue, Cursor, Group, QueuedRun, ResultRow } from "./queue.ts";

export interface QueuedRolloutsOptions
  extends
    Pick<PersistOptions, "onUnavailable">,
    Pick<
      RolloutsOptions,
      | "select"
      | "examples"
      | "rolloutsPerExample"
      | "split"
      | "shuffle"
      | "seed"
      | "skip"
      | "signal"
      | "onEvent"
    > {
  readonly queue: CoordinatorQueue;
  /** The id and the plan: another coordinator with the same continues the run. */
  readonly run: QueuedRun;
  /** The maximum number of rollouts in the queue that the consumer has not received. Default 2000. */
  readonly ahead?: number | undefined;
}

/** The maximum number of rows that are in memory. */
const pageSize = 64;

/**
 * Lets workers play the rollouts of a run, and yields each as it arrives, like `rollouts()` of core. A slow consumer delays new
 * groups. Leaving the loop, or aborting the signal, cancels the run.
 */
export async function* queuedRollouts(
  environment: Environment,
  options: QueuedRolloutsOptions,
): AsyncGenerator<Rollout> {
  const { queue, run, signal, onEvent, onUnavailable, ahead = 2000 } = options;
  const insist = <Result>(call: () => Promise<Result>): Promise<Result> =>
    persist(call, { signal, onUnavailable });
  const groups = missingGroups(environment, options);
  const pending = new Pending(run.id, options.skip);
  let isFinished = false;
  let hasGroups = true;
  await insist(() => queue.start(run));
  try {
    // oxlint-disable-next-line no-unmodified-loop-condition -- the caller aborts it
    while (signal?.aborted !== true) {
      const added: Group[] = [];
      while (hasGroups && pending.rollouts < ahead) {
        const { done, value } = await groups.next();
        hasGroups = done !== true;
        if (done === true) break;
        pending.add(value);
        added.push(value);
      }
      await insist(() => queue.enqueue(run.id, added));
      for (const { example, rolloutIndices } of added)
        for (const rolloutIndex of rolloutIndices)
          onEvent?.({ type: "start", exampleKey: example.key, rolloutIndex });
      if (pending.rollouts === 0) break;
      const after = pending.position;
      const page = await insist(() => queue.results(run.id, { after, limit: pageSize, signal }));
      pending.position = page.cursor;
      for (const row of page.rows) {
        const example = pending.take(row, after);
        if (example === undefined) continue;
        const rollout = rolloutOf(environment, row, example);
        const { exampleKey, rolloutIndex } = rollout;
        onEvent?.({ type: "finish", rollout, exampleKey, rolloutIndex });
        yield rollout;
      }
    }
    if (signal?.aborted !== true) {
      await insist(() => queue.finish(run.id));
      isFinished = true;
    }
  } finally {
    await groups.return(undefined);
    if (!isFinished) await queue.cancel(run.id).catch(() => {});
  }
}

/** The groups that the coordinator waits for, and the position from which their rows are read. */
class Pending {
  position: Cursor | undefined;
  /** The number of rollouts that have not arrived. */
  rollouts = 0;
  readonly #groups = new Map<string, { example: KeyedExample; missing: Set<number> }>();
  /** Groups of an earlier or another coordinator whose rows arrived before this one added them, and the position before. */
  readonly #early = new Map<string, Cursor | undefined>();
  readonly #runId: string;
  readonly #skip: QueuedRolloutsOptions["skip"];

  constructor(runId: string, skip: QueuedRolloutsOptions["skip"]) {
    this.#runId = runId;
    this.#skip = skip;
  }

  add(group: Group): void {
    const id = groupId(this.#runId, group);
    this.#groups.set(id, { example: group.example, missing: new Set(group.rolloutIndices) });
    this.rollouts += group.rolloutIndices.length;
    if (!this.#early.has(id)) return;
    // Reads the rows since then again. Those that the consumer has received are ignored.
    this.position = this.#early.get(id);
    this.#early.clear();
  }

  /** Returns the example of a row that the coordinator waits for. */
  take(row: ResultRow, before: Cursor | undefined): KeyedExample | undefined {
    const group = this.#groups.get(row.groupId);
    if (group?.missing.delete(row.rolloutIndex) === true) {
      this.rollouts -= 1;
      if (group.missing.size === 0) this.#groups.delete(row.groupId);
      return group.example;
    }
    if (group === undefined && !this.#early.has(row.groupId) && !this.#isWritten(row))
      this.#early.set(row.groupId, before);
    return undefined;
  }

  #isWritten(row: ResultRow): boolean {
    if ("failure" in row) return false;
    const rollout = parseRow(row.row);
    return isReadable(rollout) && this.#skip?.(rollout) === true;
  }
}

async function* missingGroups(
  environment: Environment,
  options: QueuedRolloutsOptions,
): AsyncGenerator<Group, undefined> {
  const { definition, config } = environment;
  const { rolloutsPerExample = defaultRolloutsPerExample, skip, select, ...rest } = options;
  const count = options.examples ?? defaultExamples;
  const isDivisible = !describeScores(definition, config).some(({ isGroup }) => isGroup);
  const indices = Array.from({ length: rolloutsPerExample }, (_, index) => index);
  const { split, shuffle, seed } = rest;
  for await (const example of examples(environment, { select, count, split, shuffle, seed })) {
    const missing = indices.filter(
      (rolloutIndex) => skip?.({ exampleKey: example.key, rolloutIndex }) !== true,
    );
    const planned = !isDivisible && missing.length > 0 ? indices : missing;
    yield* groupsOf(example, planned, { isDivisible });
  }
  return undefined;
}

function rolloutOf(environment: Environment, row: ResultRow, example: KeyedExample): Rollout {
  const { rolloutIndex } = row;
  if ("failure" in row)
    return failedRollout(environment, { example, rolloutIndex, reason: row.failure });
  const rollout = parseRow(row.row);
  if (isReadable(rollout)) return rollout;
  const reason = `its worker sent a row that is not a rollout: ${rollout.problem}`;
  return failedRollout(environment, { example, rolloutIndex, reason });
}
