import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";

import type { Environment, Rollout, ScoredRollout } from "@envs/core";
import { pool, summarizer } from "@envs/core/engine";
import { type Metadata, totals } from "@envs/records";
import type { Divergence } from "@envs/records/bundle";
import { createRun, type UnreadableLine } from "@envs/records/node";

import { hasGroupScores } from "../evaluation/saved-rollouts.ts";
import {
  type Regrade,
  regradeGroup,
  type Rescored,
  rescoreGroup,
  type RescoreSettings,
} from "./rescore-group.ts";
import { rolloutGroups, type StoredGroup } from "./rollout-groups.ts";

/** One rollout that has other scores, or that diverges: a line of `rescore.jsonl`. */
export interface RescoreRow {
  readonly example_id: number;
  readonly example_key: string;
  readonly rollout_index: number;
  readonly reward?: readonly [before: number, after: number] | undefined;
  /** The scores that changed. */
  readonly scores?: Readonly<Record<string, readonly [number | null, number | null]>> | undefined;
  readonly diverged?: Divergence | undefined;
}

export interface RunRescore {
  readonly run: string;
  readonly rescored: string;
  readonly model: string;
  readonly counts: {
    readonly scored: number;
    readonly changed: number;
    readonly diverged: number;
    /** Rollouts that had failed, which stay as they are. */
    readonly failed: number;
    readonly unreadable: number;
  };
  /** The largest changes of the reward, and the first rollouts that diverge. */
  readonly largest: readonly RescoreRow[];
  readonly diverged: readonly RescoreRow[];
}

/** A run to rescore, and where the new run is written. */
export interface RescoreOptions extends RescoreSettings {
  readonly path: string;
  readonly metadata: Metadata;
  readonly out: string;
  /** The fields of the metadata that the present environment determines. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Receives each rollout that was rescored. */
  readonly onRescored: (result: Extract<Rescored, { readonly rollout: ScoredRollout }>) => void;
  readonly signal: AbortSignal;
  /** Grades rollouts by what they stored, this many at once. Default: they are replayed. */
  readonly regrader?: { readonly regrade: Regrade; readonly concurrency: number } | undefined;
}

/** The maximum number of rollouts that a report shows one by one. */
const maxShown = 5;
/** The maximum number of groups that are replayed at once, since tools and judges take time. */
const maxConcurrent = 32;
const changesFile = "rescore.jsonl";

/** Replays a run, and writes a new run with the scores of the environment's rubric. Only the groups in progress are in memory. */
export async function rescoreRun(
  environment: Environment,
  options: RescoreOptions,
): Promise<RunRescore> {
  const { path, metadata, out, fields, onRescored, signal, regrader } = options;
  const run = await createRun(out, { ...metadata, ...fields, is_complete: false });
  const changes = createWriteStream(join(out, changesFile));
  const sum = summarizer(environment, { passThreshold: metadata.pass_threshold });
  const counts = { scored: 0, changed: 0, diverged: 0, failed: 0, unreadable: 0 };
  let largest: readonly RescoreRow[] = [];
  const diverged: RescoreRow[] = [];
  const append = async (rollout: Rollout): Promise<void> => {
    sum.add(rollout);
    await run.append(rollout);
  };
  const report = async (row: RescoreRow): Promise<void> => {
    if (!changes.write(`${JSON.stringify(row)}\n`)) await once(changes, "drain");
  };
  const resultsOf = (group: readonly Rollout[]): Promise<readonly Rescored[]> =>
    regrader === undefined
      ? rescoreGroup(environment, group, options)
      : regradeGroup(regrader.regrade, group);
  const rescore = async (group: StoredGroup) => ({
    group,
    results: isUnreadable(group) ? [] : await resultsOf(group),
  });
  const limit = regrader?.concurrency ?? maxConcurrent;
  try {
    const groups = rolloutGroups(path, metadata, hasGroupScores(environment));
    for await (const { group, results } of pool(groups, limit, rescore)) {
      signal.throwIfAborted();
      if (isUnreadable(group)) {
        counts.unreadable += 1;
        continue;
      }
      for (const rollout of group)
        if (rollout.status === "failed") {
          counts.failed += 1;
          await append(rollout);
        }
      for (const result of results) {
        const row = rowOf(result);
        if ("rollout" in result) {
          counts.scored += 1;
          await append(result.rollout);
          onRescored(result);
        }
        if (row === undefined) continue;
        await report(row);
        if (row.diverged === undefined) {
          counts.changed += 1;
          largest = [...largest, row].toSorted(byChange).slice(0, maxShown);
        } else {
          counts.diverged += 1;
          if (diverged.length < maxShown) diverged.push(row);
        }
      }
    }
    await run.update({ ...totals(sum.summary()), is_complete: true });
    return { run: path, rescored: out, model: metadata.model, counts, largest, diverged };
  } finally {
    changes.end();
    await Promise.all([once(changes, "close"), run.close()]);
  }
}

function isUnreadable(group: StoredGroup): group is UnreadableLine {
  return "problem" in group;
}

/** The tolerance for rewards: both sides ran in the same engine, but sums may be in another order. */
const tolerance = 1e-12;

function rowOf(result: Rescored): RescoreRow | undefined {
  const { exampleIndex, exampleKey, rolloutIndex, reward: before, scores } = result.stored;
  const key = { example_id: exampleIndex, example_key: exampleKey, rollout_index: rolloutIndex };
  if ("divergence" in result) return { ...key, diverged: result.divergence };
  const { reward: after, scores: now } = result.rollout;
  const changed = Object.keys({ ...scores, ...now }).flatMap((name) => {
    const values = [scores[name] ?? null, now[name] ?? null] as const;
    return isSame(...values) ? [] : [[name, values] as const];
  });
  if (changed.length === 0 && isSame(before, after)) return undefined;
  return { ...key, reward: [before, after], scores: Object.fromEntries(changed) };
}

function isSame(before: number | null, after: number | null): boolean {
  if (before === null || after === null) return before === after;
  return Math.abs(before - after) <= tolerance * Math.max(1, Math.abs(before), Math.abs(after));
}

function byChange({ reward: a = [0, 0] }: RescoreRow, { reward: b = [0, 0] }: RescoreRow): number {
  return Math.abs(b[1] - b[0]) - Math.abs(a[1] - a[0]);
}
