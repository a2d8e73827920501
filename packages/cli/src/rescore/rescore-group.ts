import type { Environment, JudgeModels, Rollout, ScoredRollout } from "@envs/core";
import {
  type Divergence,
  divergenceOf,
  recordOf,
  replayRollouts,
  type ReplayedRollout,
  rewardOf,
} from "@envs/records/bundle";

/** How the rollouts of a run are replayed. */
export interface RescoreSettings {
  readonly seed: number | undefined;
  readonly maxTurns: number | undefined;
  /** Default: judged scores stay as stored. */
  readonly judge: JudgeModels | undefined;
}

/** The result of rescoring a stored rollout: the new rollout, or the place where its replay diverges. */
export type Rescored =
  | { readonly stored: ScoredRollout; readonly rollout: ScoredRollout; readonly replayed: Replayed }
  | { readonly stored: ScoredRollout; readonly divergence: Divergence };

type Replayed = Extract<ReplayedRollout, { readonly reward: number }>;

/** How a package grades a stored rollout without replaying it. */
export type Regrade = (
  stored: ScoredRollout,
) => Promise<{ readonly score: number; readonly feedback: string } | { readonly problem: string }>;

/** Grades the scored rollouts of one group by what they stored. Their only score is the reward. */
export async function regradeGroup(
  regrade: Regrade,
  group: readonly Rollout[],
): Promise<readonly Rescored[]> {
  const results: Rescored[] = [];
  for (const stored of group) {
    if (stored.status !== "scored") continue;
    const graded = await regrade(stored);
    if ("problem" in graded) {
      results.push({ stored, divergence: graded });
      continue;
    }
    const [name = "reward"] = Object.keys(stored.scores);
    const { score: reward, feedback } = graded;
    const scores = { [name]: reward };
    const rollout = { ...stored, reward, scores, feedback: { [name]: feedback } };
    results.push({ stored, rollout, replayed: rollout });
  }
  return results;
}

/** Replays the scored rollouts of one group through an environment, and scores them with its rubric. */
export async function rescoreGroup(
  environment: Environment,
  group: readonly Rollout[],
  { seed, maxTurns, judge }: RescoreSettings,
): Promise<readonly Rescored[]> {
  const scored = group.filter((rollout): rollout is ScoredRollout => rollout.status === "scored");
  const [first] = scored;
  if (first === undefined) return [];
  const { example, exampleKey: key, exampleIndex: index } = first;
  const rollouts = scored.flatMap((rollout) => recordOf(rollout) ?? []);
  const options = { seed, maxTurns, judge, rollouts, hookTimeout };
  const replays = await replayRollouts(environment, { example, key, index }, options);
  return scored.map((stored, position) => {
    const replayed = replays[position]!;
    const divergence = divergenceOf(stored, replayed);
    if (divergence !== undefined || replayed.problem !== undefined)
      return { stored, divergence: divergence ?? { problem: replayed.problem ?? "" } };
    return { stored, replayed, rollout: newRollout(stored, replayed) };
  });
}

/** The time limit of hooks, as in an evaluation. */
const hookTimeout = 600_000;

/** The stored rollout with its new scores. Without a judge, the stored verdicts stay, with the current weights. */
function newRollout(stored: ScoredRollout, replayed: Replayed): ScoredRollout {
  const { scores, unjudged = {}, feedback, judgeUsage, stopReason, isTruncated } = replayed;
  const kept = Object.keys(unjudged);
  const verdicts = kept.map((name) => [name, stored.scores[name] ?? null] as const);
  const reasons = kept.flatMap((name) => {
    const reason = stored.feedback?.[name];
    return reason === undefined ? [] : [[name, reason] as const];
  });
  const { feedback: _, judgeUsage: __, ...rollout } = stored;
  const explained = { ...Object.fromEntries(reasons), ...feedback };
  return {
    ...rollout,
    stopReason,
    isTruncated,
    reward: rewardOf(stored, replayed),
    scores: { ...scores, ...Object.fromEntries(verdicts) },
    ...(Object.keys(explained).length > 0 && { feedback: explained }),
    ...((judgeUsage ?? stored.judgeUsage) && { judgeUsage: judgeUsage ?? stored.judgeUsage }),
  };
}
