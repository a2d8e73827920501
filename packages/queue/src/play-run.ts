import {
  type Environment,
  type Example,
  type Rollout,
  rollouts,
  type RolloutsOptions,
} from "@envs/core";
import type { KeyedExample } from "@envs/core/engine";
import { toRow } from "@envs/records";

import type { Lease, PlayedRow } from "./queue.ts";

/** A run that a worker is ready to play. Disposing releases its model and judges. */
export interface ReadyRun extends AsyncDisposable {
  readonly environment: Environment;
  /** How the rollouts are played. Leases determine which. */
  readonly options: Omit<
    RolloutsOptions<Example, string, string>,
    "select" | "examples" | "skip" | "shuffle" | "concurrency" | "signal" | "onEvent"
  >;
}

export interface PlayRunOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called with the rows of each group that was played to its end. */
  readonly onGroup: (lease: Lease, rows: readonly PlayedRow[]) => void;
  readonly onRollout: (rollout: Rollout) => void;
}

/** Plays the groups that leases name, with one call of core's `rollouts()`, until there are no more. */
export async function playRun(
  { environment, options }: ReadyRun,
  leases: AsyncIterable<Lease>,
  { concurrency, signal, onGroup, onRollout }: PlayRunOptions,
): Promise<void> {
  const open = new Map<string, { readonly lease: Lease; readonly rows: PlayedRow[] }>();
  let current: ReadonlySet<number> = new Set();
  // The dataset is not read: leases contain their examples.
  const select = async function* (): AsyncGenerator<KeyedExample> {
    for await (const lease of leases) {
      const { example, rolloutIndices } = lease.group;
      const rows: PlayedRow[] = [];
      for (const index of rolloutIndices) open.set(keyOf(example.key, index), { lease, rows });
      current = new Set(rolloutIndices);
      yield example;
    }
  };
  for await (const rollout of rollouts(environment, {
    ...options,
    select,
    examples: Infinity,
    concurrency,
    signal,
    // The callback runs for an example before the next one is selected.
    skip: ({ rolloutIndex }) => !current.has(rolloutIndex),
  })) {
    if (signal.aborted) return;
    onRollout(rollout);
    const key = keyOf(rollout.exampleKey, rollout.rolloutIndex);
    const { lease, rows } = open.get(key)!;
    open.delete(key);
    rows.push({ rolloutIndex: rollout.rolloutIndex, row: JSON.stringify(toRow(rollout)) });
    if (rows.length === lease.group.rolloutIndices.length) onGroup(lease, rows);
  }
}

function keyOf(exampleKey: string, rolloutIndex: number): string {
  return `${rolloutIndex} ${exampleKey}`;
}
