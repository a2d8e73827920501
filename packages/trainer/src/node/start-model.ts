import { ConfigError, type Message, text } from "@envs/core";
import {
  type Checkpoint,
  resetOptimizer,
  shapeFor,
  TinyModel,
  trainTokenizer,
  untrained,
} from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

import type { Backend } from "../backend.ts";
import { tinyBackend } from "../tiny-backend.ts";
import { isServed } from "../train/model-settings.ts";
import type { SftPhase, TrainingPlan } from "../train/plan.ts";

type LoadChats = (phase: SftPhase) => Promise<readonly (readonly Message[])[]>;

/** Starts the tiny model of a plan, from the checkpoint file of an earlier run if there is one. */
export async function startTinyBackend(
  plan: TrainingPlan,
  chats: LoadChats,
  checkpointFile: string | undefined,
): Promise<Backend> {
  const checkpoint =
    checkpointFile === undefined
      ? await initialCheckpoint(plan, chats)
      : (await findCheckpoint(checkpointFile)).checkpoint;
  return tinyBackend(await TinyModel.start("tiny", checkpoint, { threads: plan.threads }));
}

/** Loads the plan's checkpoint, or creates a model whose tokenizer is trained on the chats of the first SFT phase. */
async function initialCheckpoint(
  { model, phases, seed }: TrainingPlan,
  chats: LoadChats,
): Promise<Checkpoint> {
  if (isServed(model))
    throw new ConfigError(
      `The plan trains ${model.baseModel} on a service. Pass a backend that is connected to it: tinkerBackend().`,
    );
  if ("from" in model) return resetOptimizer((await findCheckpoint(model.from)).checkpoint);
  const firstSft = Object.values(phases).find((phase) => phase.kind === "sft");
  if (firstSft === undefined)
    throw new ConfigError(
      "The plan creates a new model but has no SFT phase. Reinforcement learning cannot train a model without a vocabulary. Start with a phase of kind sft, or set model.from to a checkpoint such as tiny:base.",
    );
  const { vocabulary, pieces, ...sizes } = model;
  const texts = (await chats(firstSft)).flat().map(({ content }) => text(content));
  const tokenizer = trainTokenizer(texts, { vocabularySize: vocabulary, pieces });
  return untrained(shapeFor(tokenizer, sizes), tokenizer, seed);
}
