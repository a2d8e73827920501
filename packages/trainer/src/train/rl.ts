import type { Rollout } from "@envs/core";
import { describeScores } from "@envs/core/engine";
import { sidesOf } from "@envs/records";

import {
  appliedCoefficient,
  type EntropyControlSettings,
  type EntropyState,
  initialEntropyState,
  nextEntropyState,
} from "../algorithms/entropy-control.ts";
import { replyLengths } from "../algorithms/trajectory.ts";
import type { Backend } from "../backend.ts";
import { checkSomeScored } from "./check-some-scored.ts";
import { collectGroups, type CollectOptions, scoreWeights } from "./collect-groups.ts";
import { rewardOf, type RolloutGroup } from "./group-advantages.ts";
import { rateAt } from "./schedule.ts";
import type { StepReport } from "./step-report.ts";
import { type PolicyUpdate, type ReferenceModel, updatePolicy } from "./update-policy.ts";

export interface RlStepOptions extends CollectOptions {
  readonly backend: Backend;
  readonly reference: ReferenceModel | undefined;
  /** The state after the last step. Undefined in the first step of a phase. */
  readonly entropy: EntropyState | undefined;
}

/** One step of reinforcement learning: collects groups, then updates the policy. */
export async function rlStep(options: RlStepOptions): Promise<StepReport> {
  const { backend, phase, reference, step } = options;
  const control: EntropyControlSettings = phase.loss.name === "cross_entropy" ? {} : phase.loss;
  const state = options.entropy ?? initialEntropyState(control);
  const entropyCoefficient = appliedCoefficient(state, control);
  const start = performance.now();
  const { groups, rollouts, zeroVariance } = await collectGroups(options);
  const collectedAt = performance.now();
  checkSomeScored(rollouts, "step");
  const rate = rateAt(step, phase.steps, phase.schedule);
  const noUpdate: PolicyUpdate = { loss: 0, gradientNorm: 0, sums: {}, tokens: 0 };
  const { loss, gradientNorm, sums, tokens } =
    groups.length === 0
      ? noUpdate
      : await updatePolicy(backend, groups, {
          phase,
          rate,
          reference,
          entropyCoefficient,
          scoreWeights: scoreWeights(options),
        });
  const perToken = (name: string): number | null => {
    const sum = sums[name];
    return sum === undefined ? null : sum / (sums["tokens"] ?? 1);
  };
  return {
    values: {
      ...rolloutMetrics(rollouts, options),
      zeroVariance,
      rewardDeviation: mean(groups.map(rewardDeviation)),
      loss,
      entropy: perToken("entropy"),
      ...(control.entropyTarget === undefined ? {} : { entropyCoefficient }),
      clipFraction: perToken("clipped"),
      ratio: perToken("ratio"),
      ...(reference === undefined ? {} : { kl: perToken("kl") }),
      approxKl: perToken("approxKl"),
      gradientNorm,
      learningRate: phase.optimizer.learningRate * rate,
      gamesPerSecond: rollouts.length / ((performance.now() - start) / 1000),
      tokensPerSecond: tokens / ((performance.now() - collectedAt) / 1000),
    },
    nonFinite: sums["nonFinite"] ?? 0,
    rollouts,
    tokens,
    entropy: nextEntropyState(state, perToken("entropy"), control),
  };
}

function rolloutMetrics(
  played: readonly Rollout[],
  { factory, phase }: RlStepOptions,
): Record<string, number | null> {
  const rollouts = played.flatMap(sidesOf);
  const scored = rollouts.filter((rollout) => rollout.status === "scored");
  const scoreNames = describeScores(factory(phase.sources[0]!.config).definition);
  return {
    reward: mean(scored.map(({ reward }) => reward)),
    ...Object.fromEntries(
      scoreNames.map(({ name }) => [
        `score/${name}`,
        mean(scored.flatMap(({ scores }) => scores[name] ?? [])),
      ]),
    ),
    truncated: mean(scored.map(({ isTruncated }) => Number(isTruncated))),
    failed: 1 - scored.length / rollouts.length,
    turns: mean(rollouts.map(({ trajectory }) => trajectory.length)),
    length: mean(rollouts.flatMap(replyLengths)),
  };
}

function rewardDeviation(group: RolloutGroup): number {
  const rewards = group.flatMap((rollout) => rewardOf(rollout) ?? []);
  const center = mean(rewards) ?? 0;
  const squares = rewards.reduce((sum, reward) => sum + (reward - center) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, rewards.length - 1));
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
