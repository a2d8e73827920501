import { ConfigError, type Message, random } from "@envs/core";

import type { Backend } from "../backend.ts";
import { batchOf, type Lesson, lessonOf } from "./conversation.ts";
import type { SftPhase } from "./plan.ts";
import { rateAt } from "./schedule.ts";
import type { StepReport } from "./step-report.ts";

/** What a supervised phase learns from, ready to be learned. */
export interface Curriculum {
  readonly lessons: readonly Lesson[];
  readonly steps: number;
  /** Conversations that do not fit the model's context. */
  readonly tooLong: number;
}

/** Reads the conversations of a phase; those without a reply or longer than the context are left out. */
export function curriculumOf(
  chats: readonly (readonly Message[])[],
  phase: SftPhase,
  backend: Backend,
): Curriculum {
  const all = chats
    .map((chat) => lessonOf(chat, backend.renderer))
    .filter(({ spoken }) => spoken > 0);
  const lessons = all.filter(({ inputs }) => inputs.length < backend.contextLength);
  if (lessons.length === 0)
    throw new ConfigError(
      all.length === 0
        ? "There is nothing to learn from: no conversation has a reply of the model. Check the data and its filter."
        : `None of ${all.length} conversations fits the model's context of ${backend.contextLength} tokens. Raise model.context, or use shorter conversations.`,
    );
  const steps = Math.max(1, Math.round((lessons.length * phase.epochs) / phase.batchSize));
  return { lessons, steps, tooLong: all.length - lessons.length };
}

/** One step of supervised learning. The order of the lessons depends on seed and step alone. */
export async function sftStep(
  backend: Backend,
  phase: SftPhase,
  { curriculum, seed, step }: { curriculum: Curriculum; seed: string; step: number },
): Promise<StepReport> {
  const { lessons, steps } = curriculum;
  const batch = Array.from({ length: phase.batchSize }, (_, index) => {
    const place = step * phase.batchSize + index;
    const epoch = Math.floor(place / lessons.length);
    return lessons[orderOf(lessons.length, `${seed}/${epoch}`)[place % lessons.length]!]!;
  });
  const { loss, sums } = await backend.forwardBackward(batchOf(batch), { name: "cross_entropy" });
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

/** An order of `length` lessons; the last few are kept, since a batch asks for the same again and again. */
function orderOf(length: number, seed: string): readonly number[] {
  const key = `${length} ${seed}`;
  let order = orders.get(key);
  if (order === undefined) {
    order = random("lessons", seed).shuffle(Array.from({ length }, (_, index) => index));
    if (orders.size >= 4) orders.clear();
    orders.set(key, order);
  }
  return order;
}
