import { type Environment, type Rollout, type RolloutsOptions } from "@envs/core";
import {
  defaultExamples,
  defaultRolloutsPerExample,
  describeScores,
  examples,
  type KeyedExample,
} from "@envs/core/engine";
import { isReadable, parseRow } from "@envs/records";

import { failedRollout } from "./failed-rollout.ts";
import { groupId, groupsOf } from "./group.ts";
import { persist, type PersistOptions } from "./persist.ts";
import type { CoordinatorQueue, Group, QueuedRun, ResultRow } from "./queue.ts";

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
  readonly maxQueued?: number | undefined;
}

/** The maximum number of rows that are in memory, unless a group has more rollouts. */
const pageSize = 64;

/**
 * Lets workers play the rollouts of a run, and yields each as it arrives, like `rollouts()` of core. A slow consumer delays new
 * groups. Leaving the loop, or aborting the signal, cancels the run.
 */
export async function* queuedRollouts(
  environment: Environment,
  options: QueuedRolloutsOptions,
): AsyncGenerator<Rollout> {
  const { queue, run, signal, onEvent, maxQueued = 2000 } = options;
  const groups = missingGroups(environment, options);
  const pending = new Pending(run.id);
  let wasInterrupted = false;
  const insist = <Result>(call: () => Promise<Result>): Promise<Result> =>
    persist(call, {
      signal,
      onUnavailable(error) {
        wasInterrupted = true;
        options.onUnavailable?.(error);
      },
    });
  /** Adds groups, and returns the rows that other coordinators of the run have let workers play before. */
  const enqueue = async (added: readonly Group[]): Promise<readonly ResultRow[]> => {
    await insist(() => queue.enqueue(run.id, added));
    const ids = added.map((group) => groupId(run.id, group));
    return ids.length === 0 ? [] : await insist(() => queue.groupResults(run.id, ids));
  };
  const received = function* (rows: readonly ResultRow[]): Generator<Rollout> {
    for (const row of rows) {
      const example = pending.take(row);
      if (example === undefined) continue;
      const rollout = rolloutOf(environment, row, example);
      const { exampleKey, rolloutIndex } = rollout;
      onEvent?.({ type: "finish", rollout, exampleKey, rolloutIndex });
      yield rollout;
    }
  };
  let isFinished = false;
  let hasGroups = true;
  let position = await insist(() => queue.start(run));
  wasInterrupted = false;
  try {
    // oxlint-disable-next-line no-unmodified-loop-condition -- the caller aborts it
    while (signal?.aborted !== true) {
      if (wasInterrupted) {
        // A database that crashed, or was replaced, may have lost its latest transactions.
        wasInterrupted = false;
        position = await insist(() => queue.start(run));
        for (const batch of batches(pending.groups())) yield* received(await enqueue(batch));
      }
      while (hasGroups && pending.rollouts < maxQueued) {
        const batch: Group[] = [];
        for (let count = 0; count < pageSize && pending.rollouts < maxQueued;) {
          const { done, value } = await groups.next();
          hasGroups = done !== true;
          if (done === true) break;
          pending.add(value);
          batch.push(value);
          count += value.rolloutIndices.length;
        }
        const rows = await enqueue(batch);
        for (const { example, rolloutIndices } of batch)
          for (const rolloutIndex of rolloutIndices)
            onEvent?.({ type: "start", exampleKey: example.key, rolloutIndex });
        yield* received(rows);
      }
      if (pending.rollouts === 0) break;
      const after = position;
      const page = await insist(() => {
        // After an outage, the groups are added again before the coordinator waits for their rows.
        const ends = wasInterrupted ? AbortSignal.abort() : signal;
        return queue.results(run.id, { after, limit: pageSize, signal: ends });
      });
      position = page.cursor;
      yield* received(page.rows);
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

/** The groups that the coordinator waits for. */
class Pending {
  /** The number of rollouts that have not arrived. */
  rollouts = 0;
  readonly #groups = new Map<string, { readonly group: Group; readonly missing: Set<number> }>();
  readonly #runId: string;

  constructor(runId: string) {
    this.#runId = runId;
  }

  add(group: Group): void {
    const missing = new Set(group.rolloutIndices);
    this.#groups.set(groupId(this.#runId, group), { group, missing });
    this.rollouts += missing.size;
  }

  groups(): readonly Group[] {
    return [...this.#groups.values()].map(({ group }) => group);
  }

  /** Returns the example of a row, unless the row has arrived before. */
  take(row: ResultRow): KeyedExample | undefined {
    const pending = this.#groups.get(row.groupId);
    if (pending?.missing.delete(row.rolloutIndex) !== true) return undefined;
    this.rollouts -= 1;
    if (pending.missing.size === 0) this.#groups.delete(row.groupId);
    return pending.group.example;
  }
}

/** Divides groups into those whose rows fit in memory. */
function batches(groups: readonly Group[]): readonly (readonly Group[])[] {
  const divided: Group[][] = [];
  let room = 0;
  for (const group of groups) {
    if (room <= 0) {
      divided.push([]);
      room = pageSize;
    }
    divided.at(-1)!.push(group);
    room -= group.rolloutIndices.length;
  }
  return divided;
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
  const { split, shuffle, seed, signal } = rest;
  const planned = examples(environment, { select, count, split, shuffle, seed, signal });
  for await (const example of planned) {
    const missing = indices.filter(
      (rolloutIndex) => skip?.({ exampleKey: example.key, rolloutIndex }) !== true,
    );
    const played = !isDivisible && missing.length > 0 ? indices : missing;
    yield* groupsOf(example, played, { isDivisible });
  }
  return undefined;
}

function rolloutOf(environment: Environment, row: ResultRow, example: KeyedExample): Rollout {
  const { rolloutIndex } = row;
  const failed = (reason: string): Rollout =>
    failedRollout(environment, {
      example,
      rolloutIndex,
      code: "worker",
      message: `No worker could play this rollout: ${reason}`,
    });
  if ("failure" in row) return failed(row.failure);
  const rollout = parseRow(row.row);
  if (isReadable(rollout)) return rollout;
  return failed(`its worker sent a row that is not a rollout: ${rollout.problem}`);
}
