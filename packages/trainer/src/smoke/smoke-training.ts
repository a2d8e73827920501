import { type Environment, evaluate, type JudgeModels, type Rollout } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import { chatModel } from "@envs/tiny-model";

import { train } from "../train/train.ts";
import type { SmokeSchedule } from "./budget.ts";
import { type DatasetSplit, withDataset } from "./dataset-split.ts";
import { rewardsOf } from "./rewards.ts";
import { maxReplyTokens, smokePlan, startModel } from "./tiny-model-setup.ts";
import type { TokenizedChats, WarmUpData } from "./warm-up-data.ts";

export interface SmokeProgress {
  readonly stage: "probing" | "imitating" | "measuring" | "learning";
  readonly step?: number | undefined;
  readonly steps?: number | undefined;
  readonly reward?: number | null | undefined;
}

export interface SmokeTrainingOptions {
  readonly environment: Environment;
  readonly judge: JudgeModels;
  readonly split: DatasetSplit;
  readonly warmUp: WarmUpData;
  readonly tokenized: TokenizedChats;
  readonly schedule: SmokeSchedule;
  readonly seed: number;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SmokeProgress) => void;
}

/** One step of reinforcement learning. */
export interface SmokeStep {
  readonly rollouts: readonly Rollout[];
  readonly reward: number | null;
  readonly zeroVariance: number;
}

export interface SmokeTrainingResult {
  /** Rollouts of the evaluation examples before reinforcement learning; empty if training stopped earlier. */
  before: readonly Rollout[];
  /** Rollouts of the evaluation examples after reinforcement learning; empty if training stopped earlier. */
  after: readonly Rollout[];
  readonly steps: SmokeStep[];
  warmUpSteps: number;
  /** Why training stopped early. */
  obstacle?: string | undefined;
}

/** Trains a new tiny model by imitation, then by reinforcement, and evaluates it before and after the latter. */
export async function runSmokeTraining(
  options: SmokeTrainingOptions,
): Promise<SmokeTrainingResult> {
  const { environment, judge, split, warmUp, tokenized, schedule, seed, signal, onProgress } =
    options;
  const backend = await startModel(tokenized, schedule, options);
  const model = chatModel(backend);
  const evaluated = withDataset(environment, split.evaluation)();
  const evaluateModel = async (): Promise<readonly Rollout[]> => {
    onProgress({ stage: "measuring" });
    const { rollouts } = await evaluate(evaluated, {
      model,
      judge,
      examples: Infinity,
      rolloutsPerExample: schedule.evaluationRollouts,
      concurrency: schedule.groups * schedule.groupSize,
      sampling: { temperature: 1, maxTokens: maxReplyTokens(tokenized) },
      seed,
      signal,
    });
    return rollouts;
  };
  const result: SmokeTrainingResult = { before: [], after: [], steps: [], warmUpSteps: 0 };
  try {
    for await (const event of train({
      factory: withDataset(environment, split.training),
      backend,
      plan: smokePlan(tokenized, schedule, { chats: warmUp.chats.length, seed }),
      chats: async () => warmUp.chats,
      judge,
      signal,
    })) {
      if (event.type === "phase" && event.kind === "rl") {
        result.before = await evaluateModel();
        if (rewardsOf(result.before).length === 0) return result;
      }
      if (event.type !== "step") continue;
      const { kind, step, steps, report } = event;
      const { reward = null, zeroVariance } = report.values;
      if (kind === "sft") result.warmUpSteps = step;
      else
        result.steps.push({ rollouts: report.rollouts, reward, zeroVariance: zeroVariance ?? 0 });
      onProgress({ stage: kind === "sft" ? "imitating" : "learning", step, steps, reward });
    }
    result.after = await evaluateModel();
  } catch (error) {
    if (!isConfigError(error)) throw error;
    result.obstacle = `the training stopped early. ${error.message}`;
  } finally {
    await backend.close();
  }
  return result;
}
