import type { Rollout } from "@envs/core";

import { advantages } from "../algorithms/advantages.ts";
import { minibatches } from "../algorithms/groups.ts";
import { addSums, type LossSums } from "../algorithms/loss-sums.ts";
import { tokenWeights } from "../algorithms/normalize.ts";
import { datumOf, type Sequence, sequencesOf, trainedTokens } from "../algorithms/trajectory.ts";
import { observationsOf, turnAdvantages } from "../algorithms/turn-credit.ts";
import type { Backend, Datum, Forward } from "../backend.ts";
import type { Group } from "./groups-of-rollouts.ts";
import type { RlPhase } from "./plan.ts";

/** A model that does not learn: what a KL term holds to. */
export type Reference = Pick<Backend, "forward">;

/** What came of learning from a batch. */
export interface Learned {
  readonly loss: number;
  readonly gradientNorm: number | null;
  readonly sums: LossSums;
  /** Tokens that went through the model. */
  readonly tokens: number;
}

interface Share {
  readonly sequence: Sequence;
  readonly advantages: readonly number[];
}

/** The reward of a rollout; undefined if it has none. */
export function rewardOf(rollout: Rollout): number | undefined {
  return rollout.status === "scored" ? rollout.reward : undefined;
}

/** Learns from groups: advantages, then one step of the optimiser for each minibatch of whole groups. */
export async function learn(
  backend: Backend,
  groups: readonly Group[],
  options: {
    readonly phase: RlPhase;
    /** The share of the full rates in this step. */
    readonly rate: number;
    readonly reference: Reference | undefined;
  },
): Promise<Learned> {
  const { phase, rate, reference } = options;
  const credits = creditsOf(groups, phase);
  const shares = groups.map((group, index) =>
    group.flatMap((rollout, member): Share[] => {
      const credit = credits[index]![member];
      if (credit === undefined) return [];
      const { maskTruncated } = phase;
      return sequencesOf(rollout, { maskTruncated }).map((sequence) => ({
        sequence,
        advantages: credit,
      }));
    }),
  );
  let loss = 0;
  let gradientNorm: number | null = 0;
  let sums: LossSums = {};
  let tokens = 0;
  const settings =
    phase.annealEntropy && phase.loss.name !== "cross_entropy"
      ? { ...phase.loss, entropyCoefficient: (phase.loss.entropyCoefficient ?? 0) * rate }
      : phase.loss;
  const count = Math.min(phase.minibatches, groups.length);
  const batches = await Promise.all(
    minibatches(shares, count).map((part) => dataOf(part.flat(), { backend, phase, reference })),
  );
  for (const data of batches) {
    if (data.length === 0) continue;
    const result = await backend.forwardBackward(data, settings);
    loss += result.loss / batches.length;
    sums = addSums(sums, result.sums);
    tokens += data.reduce((sum, { inputs }) => sum + inputs.length, 0);
    if ((result.sums["nonFinite"] ?? 0) > 0) break;
    const learningRate = phase.optimizer.learningRate * rate;
    ({ gradientNorm } = await backend.optimStep({ ...phase.optimizer, learningRate }));
  }
  return { loss, gradientNorm, sums, tokens };
}

/** The advantage of each turn of each rollout; undefined for one that failed. */
function creditsOf(
  groups: readonly Group[],
  { advantage }: RlPhase,
): readonly (readonly (readonly number[] | undefined)[])[] {
  if (advantage.credit === "turn")
    return turnAdvantages(
      groups.map((group) =>
        group.map((rollout) => ({
          reward: rewardOf(rollout),
          observations: observationsOf(rollout),
        })),
      ),
      advantage,
    );
  const whole = advantages(
    groups.map((group) => group.map(rewardOf)),
    advantage.estimator,
  );
  return groups.map((group, index) =>
    group.map((rollout, member) => {
      const value = whole[index]![member];
      return value === undefined ? undefined : rollout.trajectory.map(() => value);
    }),
  );
}

async function dataOf(
  shares: readonly Share[],
  {
    backend,
    phase,
    reference,
  }: { backend: Backend; phase: RlPhase; reference: Reference | undefined },
): Promise<Datum[]> {
  const { aggregation, maxCompletionLength, temperature } = phase;
  const weights = tokenWeights(
    shares.map(({ sequence }) => trainedTokens(sequence)),
    { aggregation, ...(maxCompletionLength === undefined ? {} : { maxCompletionLength }) },
  );
  const data: Datum[] = shares.map(({ sequence, advantages: credit }, index) => ({
    ...datumOf(sequence, credit, weights[index]),
    temperature,
  }));
  const old = phase.recomputeLogprobs ? await backend.forward(data) : undefined;
  const held = await reference?.forward(data);
  return data.map((datum, index) => withLogprobs(datum, old?.[index], held?.[index]));
}

function withLogprobs(datum: Datum, old: Forward | undefined, held: Forward | undefined): Datum {
  return {
    ...datum,
    ...(old === undefined ? {} : { oldLogprobs: old.logprobs }),
    ...(held === undefined ? {} : { referenceLogprobs: held.logprobs }),
  };
}
