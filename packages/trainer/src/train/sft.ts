import { ConfigError, type Message, random } from "@envs/core";
import { eventLoopYield } from "@envs/core/engine";

import type { Backend } from "../backend.ts";
import type { SftPhase } from "./plan.ts";
import { rateAt } from "./schedule.ts";
import { sftBatch, type SftExample, sftExample } from "./sft-example.ts";
import type { StepReport } from "./step-report.ts";

/** The tokenized conversations of an SFT phase. */
export interface SftDataset {
  readonly examples: readonly SftExample[];
  readonly steps: number;
  /** Number of conversations that exceed the model's context. */
  readonly tooLong: number;
}

export interface PreparationOptions {
  /** Stops the preparation, which rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives how many conversations have been tokenized, every 5% of many. */
  readonly onTokenized?: ((count: number, total: number) => void) | undefined;
}

/** The minimum number of conversations whose progress is reported. */
const minReported = 1000;

/** Tokenizes conversations. Leaves out those without a reply and those that exceed the context. */
export async function sftDataset(
  chats: readonly (readonly Message[])[],
  phase: SftPhase,
  backend: Backend,
  { signal, onTokenized }: PreparationOptions = {},
): Promise<SftDataset> {
  const all: SftExample[] = [];
  const interval = Math.ceil(Math.max(chats.length / 20, minReported / 20));
  const yieldIfBusy = eventLoopYield();
  for (const [index, chat] of chats.entries()) {
    await yieldIfBusy();
    signal?.throwIfAborted();
    const example = sftExample(chat, backend.renderer);
    if (example.trainedTokens > 0) all.push(example);
    const isDue = chats.length >= minReported && (index + 1) % interval === 0;
    if (isDue) onTokenized?.(index + 1, chats.length);
  }
  const examples = all.filter(({ inputs }) => inputs.length < backend.contextLength);
  if (examples.length === 0)
    throw new ConfigError(
      all.length === 0
        ? "The training data have no conversation with a reply of the model. Check the data and its filter."
        : `All ${all.length} conversations exceed the model's context of ${backend.contextLength} tokens. Raise model.context, or use shorter conversations.`,
    );
  const steps = Math.max(1, Math.round((examples.length * phase.epochs) / phase.batchSize));
  return { examples, steps, tooLong: all.length - examples.length };
}

/** One step of supervised learning. The order of the examples depends only on seed and step. */
export async function sftStep(
  backend: Backend,
  phase: SftPhase,
  { dataset, seed, step }: { dataset: SftDataset; seed: string; step: number },
): Promise<StepReport> {
  const { examples, steps } = dataset;
  const batch = Array.from({ length: phase.batchSize }, (_, index) => {
    const position = step * phase.batchSize + index;
    const epoch = Math.floor(position / examples.length);
    const order = shuffledIndices(examples.length, `${seed}/${epoch}`);
    return examples[order[position % examples.length]!]!;
  });
  const { loss, sums } = await backend.forwardBackward(sftBatch(batch), { name: "cross_entropy" });
  const learningRate = phase.optimizer.learningRate * rateAt(step, steps, phase.schedule);
  const { gradientNorm } = await backend.optimStep({ ...phase.optimizer, learningRate });
  const { tokens = 0, entropy } = sums;
  return {
    values: {
      loss,
      entropy: entropy === undefined ? null : entropy / tokens,
      gradientNorm,
      learningRate,
    },
    nonFinite: sums["nonFinite"] ?? 0,
    rollouts: [],
    tokens: batch.reduce((sum, { inputs }) => sum + inputs.length, 0),
  };
}

const orders = new Map<string, readonly number[]>();

/** Caches the latest orders, since every index of a batch needs the same one. */
function shuffledIndices(length: number, seed: string): readonly number[] {
  const key = `${length} ${seed}`;
  let order = orders.get(key);
  if (order === undefined) {
    order = random("lessons", seed).shuffle(Array.from({ length }, (_, index) => index));
    if (orders.size >= 4) orders.clear();
    orders.set(key, order);
  }
  return order;
}
