import { shapeFor, TinyModel, untrained } from "@envs/tiny-model";

import type { Backend } from "../backend.ts";
import { tinyBackend } from "../tiny-backend.ts";
import { type TrainingPlan, trainingPlan } from "../train/plan.ts";
import type { Counts } from "./budget.ts";
import type { Language } from "./warm-up.ts";

/** The model: about 0.1 million numbers. */
const size = { width: 64, layers: 2, heads: 4, hidden: 256 };

/** The longest context, in tokens. */
const mostContext = 1024;

/** Conversations and replies may become longer than the teacher's by this factor. */
const room = 1.5;

/** Starts a model that knows nothing but its vocabulary. */
export async function startModel(
  { tokenizer, lengths }: Language,
  counts: Counts,
  { seed, threads }: { readonly seed: number; readonly threads: number },
): Promise<Backend> {
  const context = Math.min(mostContext, Math.ceil(room * lengths.at(-1)!));
  const shape = shapeFor(tokenizer, { ...size, context });
  const slots = counts.groups * counts.groupSize;
  const initial = untrained(shape, tokenizer, seed);
  return tinyBackend(await TinyModel.start("smoke", initial, { threads, slots }));
}

/** How long a reply may be, in tokens. A model that learns to ramble would take the whole minute. */
export function replyLimit({ longestReply }: Language): number {
  return Math.ceil(room * longestReply) + 1;
}

/** Imitation, then reinforcement from whole rollouts. */
export function planFor(
  language: Language,
  counts: Counts,
  options: { readonly lessons: number; readonly seed: number },
): TrainingPlan {
  const { warmUpSteps, warmUpBatch, steps, groups, groupSize } = counts;
  return trainingPlan.parse({
    seed: options.seed,
    phases: {
      imitate: {
        kind: "sft",
        data: { file: "played by a weak teacher" },
        epochs: (warmUpSteps * warmUpBatch) / options.lessons,
        batchSize: warmUpBatch,
        optimizer: { learningRate: 3e-3 },
        schedule: { annealFrom: 0.5 },
      },
      learn: {
        kind: "rl",
        steps,
        sources: [{ groups }],
        rolloutsPerExample: groupSize,
        maxTokens: replyLimit(language),
        loss: { name: "cispo", epsilonHigh: 1.28 },
        optimizer: { learningRate: 1e-3 },
        schedule: { warmup: 5, annealFrom: 0.5 },
      },
    },
    // A signal that is missing is what this is to find: it is no reason to stop early.
    guards: { patience: steps + 1 },
  });
}
