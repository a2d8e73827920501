import { shapeFor, TinyModel, untrained } from "@envs/tiny-model";

import type { Backend } from "../backend.ts";
import { tinyBackend } from "../tiny-backend.ts";
import { type TrainingPlan, trainingPlan } from "../train/plan.ts";
import type { SmokeSchedule } from "./budget.ts";
import type { TokenizedChats } from "./warm-up-data.ts";

/** About 100,000 parameters. */
const size = { width: 64, layers: 2, heads: 4, hidden: 256 };

const maxContext = 1024;

/** The factor by which a conversation or reply of the model may exceed the teacher's longest. */
const lengthFactor = 1.5;

/** Starts an untrained model with the vocabulary of the conversations. */
export async function startModel(
  { tokenizer, lengths }: TokenizedChats,
  schedule: SmokeSchedule,
  { seed, threads }: { readonly seed: number; readonly threads: number },
): Promise<Backend> {
  const context = Math.min(maxContext, Math.ceil(lengthFactor * lengths.at(-1)!));
  const shape = shapeFor(tokenizer, { ...size, context });
  const slots = schedule.groups * schedule.groupSize;
  const checkpoint = untrained(shape, tokenizer, seed);
  return tinyBackend(await TinyModel.start("smoke", checkpoint, { threads, slots }));
}

/** The maximum length of a reply in tokens. Without it, a model that does not learn to stop would spend the budget. */
export function maxReplyTokens({ longestReply }: TokenizedChats): number {
  return Math.ceil(lengthFactor * longestReply) + 1;
}

/** A training plan: imitation of `chats` conversations, then reinforcement learning. */
export function smokePlan(
  tokenized: TokenizedChats,
  schedule: SmokeSchedule,
  { chats, seed }: { readonly chats: number; readonly seed: number },
): TrainingPlan {
  const { warmUpSteps, warmUpBatch, steps, groups, groupSize } = schedule;
  return trainingPlan.parse({
    seed,
    phases: {
      imitate: {
        kind: "sft",
        data: { file: "conversations with the weak teacher" },
        epochs: (warmUpSteps * warmUpBatch) / chats,
        batchSize: warmUpBatch,
        optimizer: { learningRate: 3e-3 },
        schedule: { annealFrom: 0.5 },
      },
      learn: {
        kind: "rl",
        steps,
        sources: [{ groups }],
        rolloutsPerExample: groupSize,
        maxTokens: maxReplyTokens(tokenized),
        loss: { name: "cispo", epsilonHigh: 1.28 },
        optimizer: { learningRate: 1e-3 },
        schedule: { warmup: 5, annealFrom: 0.5 },
      },
    },
    // The run measures whether rewards give a learning signal, so a guard must not stop it if they do not.
    guards: { patience: steps + 1 },
  });
}
