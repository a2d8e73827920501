import { type Environment, evaluate, type Rollout } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import { chatModel } from "@envs/tiny-model";

import { train } from "../train/train.ts";
import type { Counts } from "./budget.ts";
import { rewardsOf } from "./rewards.ts";
import { type DividedRows, withRows } from "./rows.ts";
import { planFor, replyLimit, startModel } from "./tiny-setup.ts";
import type { Language, Lessons } from "./warm-up.ts";

/** How a smoke run is coming along. */
export interface SmokeProgress {
  readonly stage: "probing" | "imitating" | "measuring" | "learning";
  readonly step?: number;
  readonly steps?: number;
  readonly reward?: number | null;
}

/** What a model is taught, and how. */
export interface LearnOptions {
  readonly environment: Environment;
  readonly rows: DividedRows;
  readonly lessons: Lessons;
  readonly language: Language;
  readonly counts: Counts;
  readonly seed: number;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SmokeProgress) => void;
}

/** One step of reinforcement learning. */
export interface LearnedStep {
  readonly rollouts: readonly Rollout[];
  readonly reward: number | null;
  readonly zeroVariance: number;
}

/** What happened while a model learned. */
export interface Learned {
  /** Rollouts on examples that were held back, before and after; empty if it did not come to that. */
  before: readonly Rollout[];
  after: readonly Rollout[];
  readonly steps: LearnedStep[];
  warmUpSteps: number;
  /** Why it went no further. */
  obstacle?: string;
}

/** Lets a new tiny model imitate the lessons, then learn by reinforcement; measures it before and after that. */
export async function learn(options: LearnOptions): Promise<Learned> {
  const { environment, rows, lessons, language, counts, seed, signal, onProgress } = options;
  const backend = await startModel(language, counts, options);
  const model = chatModel(backend);
  const held = withRows(environment, rows.held)();
  const measure = async (): Promise<readonly Rollout[]> => {
    onProgress({ stage: "measuring" });
    const { rollouts } = await evaluate(held, {
      model,
      examples: Infinity,
      rolloutsPerExample: counts.measured,
      concurrency: counts.groups * counts.groupSize,
      sampling: { temperature: 1, maxTokens: replyLimit(language) },
      seed,
      signal,
    });
    return rollouts;
  };
  const learned: Learned = { before: [], after: [], steps: [], warmUpSteps: 0 };
  try {
    for await (const event of train({
      factory: withRows(environment, rows.learned),
      backend,
      plan: planFor(language, counts, { lessons: lessons.chats.length, seed }),
      chats: async () => lessons.chats,
      signal,
    })) {
      if (event.type === "phase" && event.kind === "rl") {
        learned.before = await measure();
        if (rewardsOf(learned.before).length === 0) return learned;
      }
      if (event.type !== "step") continue;
      const { kind, step, steps, report } = event;
      const { reward = null, zeroVariance } = report.values;
      if (kind === "sft") learned.warmUpSteps = step;
      else
        learned.steps.push({ rollouts: report.rollouts, reward, zeroVariance: zeroVariance ?? 0 });
      onProgress({ stage: kind === "sft" ? "imitating" : "learning", step, steps, reward });
    }
    learned.after = await measure();
  } catch (error) {
    if (!isConfigError(error)) throw error;
    learned.obstacle = `the training broke off. ${error.message}`;
  } finally {
    await backend.close();
  }
  return learned;
}
