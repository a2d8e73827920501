import type { ScoredRollout } from "@envs/core";

import { compareReplay, rewardOf } from "./compare-replay.ts";
import type { ReplayedRollout } from "./methods.ts";

/** How a score changed over all rollouts that have it before and after. */
export interface ScoreChange {
  /** `reward`, or the name of a score. */
  readonly name: string;
  readonly changed: number;
  readonly before: number | null;
  readonly after: number | null;
  /** The largest absolute change of one rollout. */
  readonly largest: number;
}

/** A model's mean reward before and after, and its rank by it. */
export interface ModelChange {
  readonly model: string;
  readonly rollouts: number;
  readonly before: number;
  readonly after: number;
  readonly rankBefore: number;
  readonly rankAfter: number;
}

/** The result of replaying recorded rollouts through another version of their environment. */
export interface RewardDiff {
  readonly rollouts: number;
  /** Rollouts with another reward or score. */
  readonly rescored: number;
  /** Rollouts to which the environment answers with other messages. Their models may have replied differently. */
  readonly conversations: number;
  /** Rollouts that cannot be replayed, and the first reason. */
  readonly unplayable: number;
  readonly problem: string | undefined;
  readonly scores: readonly ScoreChange[];
  /** The best first, by the mean reward before. */
  readonly models: readonly ModelChange[];
  /** Whether all rewards and conversations are the same. */
  readonly isSame: boolean;
}

/** Collects pairs of recorded and replayed rollouts. */
export interface RewardDiffer {
  readonly add: (model: string, recorded: ScoredRollout, replayed: ReplayedRollout) => void;
  readonly result: () => RewardDiff;
}

interface Sums {
  count: number;
  before: number;
  after: number;
  changed: number;
  largest: number;
}

const newSums = (): Sums => ({ count: 0, before: 0, after: 0, changed: 0, largest: 0 });

/** Compares the rewards of recorded rollouts with those of a replay. Numbers that differ by less than `tolerance` are the same. */
export function rewardDiffer(tolerance: number): RewardDiffer {
  const scores = new Map<string, Sums>();
  const models = new Map<string, Sums>();
  const counts = { rollouts: 0, rescored: 0, conversations: 0, unplayable: 0 };
  let problem: string | undefined;

  const addTo = (
    sums: Map<string, Sums>,
    name: string,
    [before, after]: readonly [number, number],
  ): void => {
    const entry = sums.get(name) ?? newSums();
    sums.set(name, entry);
    const change = Math.abs(after - before);
    entry.count += 1;
    entry.before += before;
    entry.after += after;
    if (change > tolerance * Math.max(1, Math.abs(before), Math.abs(after))) entry.changed += 1;
    entry.largest = Math.max(entry.largest, change);
  };

  return {
    add(model, recorded, replayed) {
      counts.rollouts += 1;
      if (replayed.problem !== undefined) {
        counts.unplayable += 1;
        problem ??= replayed.problem;
        return;
      }
      const fields = compareReplay(recorded, replayed, tolerance).map(({ field }) => field);
      if (fields.some((field) => field === "reward" || field.startsWith("scores.")))
        counts.rescored += 1;
      if (fields.includes("conversation")) counts.conversations += 1;
      const after = rewardOf(recorded, replayed);
      addTo(models, model, [recorded.reward, after]);
      addTo(scores, "reward", [recorded.reward, after]);
      for (const [name, before] of Object.entries(recorded.scores)) {
        const after = replayed.scores[name];
        if (before !== null && typeof after === "number") addTo(scores, name, [before, after]);
      }
    },
    result: () => ({
      ...counts,
      problem,
      scores: [...scores].map(([name, { count, before, after, changed, largest }]) => ({
        name,
        changed,
        before: before / count,
        after: after / count,
        largest,
      })),
      models: ranked(models),
      isSame: counts.rescored + counts.conversations + counts.unplayable === 0,
    }),
  };
}

function ranked(models: ReadonlyMap<string, Sums>): readonly ModelChange[] {
  const means = [...models].map(([model, { count, before, after }]) => ({
    model,
    rollouts: count,
    before: before / count,
    after: after / count,
  }));
  const rank = (name: "before" | "after", mean: number): number =>
    1 + means.filter((other) => other[name] > mean).length;
  return means
    .map(({ model, rollouts, before, after }) => {
      const [rankBefore, rankAfter] = [rank("before", before), rank("after", after)];
      return { model, rollouts, before, after, rankBefore, rankAfter };
    })
    .toSorted((a, b) => b.before - a.before);
}
