import { ConfigError, type Rollout } from "@envs/core";
import { describeScores } from "@envs/core/engine";

import { dropZeroVariance, type GroupReport } from "../algorithms/groups.ts";
import type { Backend } from "../backend.ts";
import { type Collector, type Group, partsOf, playGroups } from "./groups-of-rollouts.ts";
import { learn, type Learned, type Reference, rewardOf } from "./learn.ts";
import { rateAt } from "./schedule.ts";
import type { StepReport } from "./step-report.ts";

/** What a reinforcement phase needs in each step. */
export interface RlStep extends Collector {
  readonly backend: Backend;
  readonly reference: Reference | undefined;
  readonly seed: string;
  /** From 0. */
  readonly step: number;
}

/** One step of reinforcement learning: play a batch of groups, learn from it. */
export async function rlStep(options: RlStep): Promise<StepReport> {
  const { backend, phase, reference, step } = options;
  const began = performance.now();
  const { groups, played, report } = await collect(options);
  const collected = performance.now();
  if (played.every(({ status }) => status === "failed")) throw allFailed(played);
  const rate = rateAt(step, phase.steps, phase.schedule);
  const nothing: Learned = { loss: 0, gradientNorm: 0, sums: {}, tokens: 0 };
  const learned =
    groups.length === 0 ? nothing : await learn(backend, groups, { phase, rate, reference });
  const { sums, tokens } = learned;
  const per = (name: string): number | null => {
    const sum = sums[name];
    return sum === undefined ? null : sum / (sums["tokens"] ?? 1);
  };
  return {
    values: {
      ...valuesOf(played, options),
      zeroVariance: report.zeroVariance / report.groups,
      rewardDeviation: mean(groups.map(deviation)),
      loss: learned.loss,
      entropy: per("entropy"),
      clipFraction: per("clipped"),
      ratio: per("ratio"),
      ...(reference === undefined ? {} : { kl: per("kl") }),
      approxKl: per("approxKl"),
      gradientNorm: learned.gradientNorm,
      learningRate: phase.optimizer.learningRate * rate,
      gamesPerSecond: played.length / ((performance.now() - began) / 1000),
      tokensPerSecond: tokens / ((performance.now() - collected) / 1000),
    },
    nonFinite: sums["nonFinite"] ?? 0,
    rollouts: played,
    tokens,
  };
}

interface Batch {
  /** What is learned from. */
  readonly groups: readonly Group[];
  readonly played: readonly Rollout[];
  readonly report: GroupReport;
}

/** Groups that teach nothing are left out, and played anew as often as the phase allows. */
async function collect(options: RlStep): Promise<Batch> {
  const { phase, seed, step } = options;
  const wanted = phase.sources.reduce((sum, { groups }) => sum + groups, 0);
  const all: Group[] = [];
  let kept: readonly Group[] = [];
  for (let round = 0; round <= phase.resample && kept.length < wanted; round += 1) {
    const parts = partsOf(phase, wanted - kept.length);
    all.push(...(await playGroups(options, parts, `${seed}/${step}/${round}`)));
    kept = phase.dropZeroVariance ? dropped(all).groups.slice(0, wanted) : all;
  }
  return { groups: kept, played: all.flat(), report: dropped(all).report };
}

function dropped(groups: readonly Group[]): ReturnType<typeof dropZeroVariance<Group>> {
  return dropZeroVariance(groups, (group) => group.map(rewardOf));
}

function valuesOf(
  played: readonly Rollout[],
  { factory, phase }: RlStep,
): Record<string, number | null> {
  const scored = played.filter((rollout) => rollout.status === "scored");
  const names = describeScores(factory(phase.sources[0]!.config).definition);
  const turns = played.flatMap(({ trajectory }) => trajectory);
  return {
    reward: mean(scored.map(({ reward }) => reward)),
    ...Object.fromEntries(
      names.map(({ name }) => [
        `score/${name}`,
        mean(scored.flatMap(({ scores }) => scores[name] ?? [])),
      ]),
    ),
    truncated: mean(scored.map(({ isTruncated }) => Number(isTruncated))),
    failed: 1 - scored.length / played.length,
    turns: mean(played.map(({ trajectory }) => trajectory.length)),
    length: mean(turns.flatMap(({ tokens }) => tokens?.completionIds.length ?? [])),
  };
}

function deviation(group: Group): number {
  const rewards = group.flatMap((rollout) => rewardOf(rollout) ?? []);
  const center = mean(rewards) ?? 0;
  const squares = rewards.reduce((sum, reward) => sum + (reward - center) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, rewards.length - 1));
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function allFailed(played: readonly Rollout[]): ConfigError {
  const [first] = played;
  const why = first?.status === "failed" ? `${first.error.code}: ${first.error.message}` : "";
  return new ConfigError(
    `All ${played.length} rollouts of the step failed, so there is nothing to learn from. The first: ${why}`,
  );
}
