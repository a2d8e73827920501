import { minibatches } from "../algorithms/groups.ts";
import { addSums, type LossSums } from "../algorithms/loss-result.ts";
import { tokenWeights } from "../algorithms/token-weights.ts";
import { datumOf, type Sequence, sequencesOf, trainedTokens } from "../algorithms/trajectory.ts";
import type { Backend, Datum } from "../backend.ts";
import { advantagesPerTurn, type RolloutGroup } from "./group-advantages.ts";
import type { RlPhase } from "./plan.ts";

/** The frozen model of the KL penalty. */
export type ReferenceModel = Pick<Backend, "forward">;

export interface PolicyUpdate {
  readonly loss: number;
  readonly gradientNorm: number | null;
  readonly sums: LossSums;
  /** Number of tokens of all sequences, prompts included. */
  readonly tokens: number;
}

interface UpdateOptions {
  readonly phase: RlPhase;
  /** The share of the full rates in this step. */
  readonly rate: number;
  readonly reference: ReferenceModel | undefined;
  /** The coefficient of the entropy bonus, before {@link rate}. */
  readonly entropyCoefficient: number;
  /** The weights of the environment's scores, by name. */
  readonly scoreWeights: Readonly<Record<string, number>>;
}

interface SequenceWithAdvantages {
  readonly sequence: Sequence;
  /** One per turn of the rollout. */
  readonly advantages: readonly number[];
}

/** Computes advantages, then takes one optimizer step per minibatch of whole groups. */
export async function updatePolicy(
  backend: Backend,
  groups: readonly RolloutGroup[],
  options: UpdateOptions,
): Promise<PolicyUpdate> {
  const { phase, rate, entropyCoefficient } = options;
  const sequences = sequencesWithAdvantages(groups, options);
  const count = Math.min(phase.minibatches, groups.length);
  const batches = await Promise.all(
    minibatches(sequences, count).map((batch) => dataOf(backend, batch.flat(), options)),
  );
  const bonus = phase.annealEntropy ? entropyCoefficient * rate : entropyCoefficient;
  const settings =
    phase.loss.name === "cross_entropy" ? phase.loss : { ...phase.loss, entropyCoefficient: bonus };
  let loss = 0;
  let gradientNorm: number | null = 0;
  let sums: LossSums = {};
  let tokens = 0;
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

/** The sequences of each group, without those of failed rollouts. */
function sequencesWithAdvantages(
  groups: readonly RolloutGroup[],
  credit: Pick<UpdateOptions, "phase" | "scoreWeights">,
): SequenceWithAdvantages[][] {
  const { maskTruncated, branches } = credit.phase;
  const turns = advantagesPerTurn(groups, credit);
  return groups.map((group, index) =>
    group.flatMap((rollout, member) => {
      const values = turns[index]![member];
      if (values === undefined) return [];
      return sequencesOf(rollout, { maskTruncated, branches }).map((sequence) => ({
        sequence,
        advantages: values,
      }));
    }),
  );
}

async function dataOf(
  backend: Backend,
  sequences: readonly SequenceWithAdvantages[],
  { phase, reference }: UpdateOptions,
): Promise<Datum[]> {
  const { aggregation, maxCompletionLength, temperature } = phase;
  const weights = tokenWeights(
    sequences.map(({ sequence }) => trainedTokens(sequence)),
    { aggregation, maxCompletionLength },
  );
  const data: Datum[] = sequences.map(({ sequence, advantages: perTurn }, index) => ({
    ...datumOf(sequence, perTurn, weights[index]),
    temperature,
  }));
  const old = phase.recomputeLogprobs ? await backend.forward(data) : undefined;
  const referenceForwards = await reference?.forward(data);
  return data.map((datum, index) =>
    withLogprobs(datum, old?.[index]?.logprobs, referenceForwards?.[index]?.logprobs),
  );
}

function withLogprobs(
  datum: Datum,
  oldLogprobs: Float32Array | undefined,
  referenceLogprobs: Float32Array | undefined,
): Datum {
  return { ...datum, oldLogprobs, referenceLogprobs };
}
