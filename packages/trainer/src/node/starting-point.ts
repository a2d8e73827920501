import { ConfigError, type Message } from "@envs/core";

import { type Checkpoint, shapeFor } from "../tiny/checkpoint.ts";
import { untrained } from "../tiny/tiny-backend.ts";
import { trainTokenizer } from "../tokenizer/train-tokenizer.ts";
import type { SftPhase, TrainingPlan } from "../train/plan.ts";
import { findCheckpoint } from "./find-checkpoint.ts";

/** The model that a plan starts from: a checkpoint, or a new one whose tokenizer is trained on what it will learn first. */
export async function startingPoint(
  { model, phases, seed }: Pick<TrainingPlan, "model" | "phases" | "seed">,
  chats: (phase: SftPhase) => Promise<readonly (readonly Message[])[]>,
): Promise<Checkpoint> {
  if ("from" in model) return fresh((await findCheckpoint(model.from)).checkpoint);
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

/** The optimiser of another run has no place in this one. */
function fresh(checkpoint: Checkpoint): Checkpoint {
  const { weights } = checkpoint.state;
  const nothing = (): Float32Array => new Float32Array(weights.length);
  return { ...checkpoint, state: { weights, first: nothing(), second: nothing(), steps: 0 } };
}
