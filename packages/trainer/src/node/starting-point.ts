import { ConfigError, type Message } from "@envs/core";
import {
  type Checkpoint,
  resetOptimizer,
  shapeFor,
  trainTokenizer,
  untrained,
} from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

import type { SftPhase, TrainingPlan } from "../train/plan.ts";

/** The model that a plan starts from: a checkpoint, or a new one whose tokenizer is trained on what it will learn first. */
export async function startingPoint(
  { model, phases, seed }: Pick<TrainingPlan, "model" | "phases" | "seed">,
  chats: (phase: SftPhase) => Promise<readonly (readonly Message[])[]>,
): Promise<Checkpoint> {
  if ("from" in model) return resetOptimizer((await findCheckpoint(model.from)).checkpoint);
  const first = Object.values(phases).find((phase) => phase.kind === "sft");
  if (first === undefined)
    throw new ConfigError(
      "A new model knows no words, so reinforcement learning alone leads nowhere. Begin with a phase of kind sft, or set model.from to a checkpoint such as tiny:base.",
    );
  const { vocabulary, pieces, ...sizes } = model;
  const texts = (await chats(first)).flat().map(({ content }) => content);
  const tokenizer = trainTokenizer(texts, { vocabularySize: vocabulary, pieces });
  return untrained(shapeFor(tokenizer, sizes), tokenizer, seed);
}
