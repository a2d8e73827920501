import { ConfigError, type Message } from "@envs/core";
import { type Checkpoint, resetOptimizer, shapeFor, TinyModel, untrained } from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

import type { Backend } from "../backend.ts";
import { tinyBackend } from "../tiny-backend.ts";
import { baseModelOf, isServed } from "../train/model-settings.ts";
import type { SftPhase, TrainingPlan } from "../train/plan.ts";
import { choosePieces, type PiecesChoice, tokenizerFor } from "./choose-pieces.ts";

export interface StartOptions {
  /** Loads the conversations of an SFT phase. */
  readonly chats: (phase: SftPhase) => Promise<readonly (readonly Message[])[]>;
  /** The checkpoint of an earlier run. */
  readonly checkpointFile: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Receives the pieces that were chosen for the tokenizer of a new model. */
  readonly onChoice: (choice: PiecesChoice) => Promise<void>;
}

/** Starts the tiny model of a plan, from the checkpoint file of an earlier run if there is one. */
export async function startTinyBackend(
  plan: TrainingPlan,
  options: StartOptions,
): Promise<Backend> {
  const { checkpointFile } = options;
  const checkpoint =
    checkpointFile === undefined
      ? await initialCheckpoint(plan, options)
      : (await findCheckpoint(checkpointFile)).checkpoint;
  const { threads } = plan;
  return {
    ...tinyBackend(await TinyModel.start("tiny", checkpoint, { threads })),
    reference: async (path) =>
      TinyModel.start("reference", (await findCheckpoint(path)).checkpoint, { threads }),
  };
}

/** Loads the plan's checkpoint, or creates a model whose tokenizer is trained on the chats of the first SFT phase. */
async function initialCheckpoint(
  { model, phases, seed, threads }: TrainingPlan,
  { chats, signal, onChoice }: StartOptions,
): Promise<Checkpoint> {
  if ("loraRank" in model)
    throw new ConfigError(
      `The plan trains ${baseModelOf(model)}. Pass its backend: ${isServed(model) ? "tinkerBackend(), connected to a service" : "loraBackend()"}.`,
    );
  if ("from" in model) return resetOptimizer((await findCheckpoint(model.from)).checkpoint);
  const firstSft = Object.values(phases).find((phase) => phase.kind === "sft");
  if (firstSft === undefined)
    throw new ConfigError(
      "The plan creates a new model but has no SFT phase. Reinforcement learning cannot train a model without a vocabulary. Start with a phase of kind sft, or set model.from to a checkpoint such as tiny:base.",
    );
  const { vocabulary, pieces: setting, ...sizes } = model;
  const conversations = await chats(firstSft);
  let pieces: typeof setting;
  if (setting === "auto") {
    const options = { model: { vocabulary, ...sizes }, phase: firstSft, seed, threads, signal };
    const choice = await choosePieces(conversations, options);
    await onChoice(choice);
    ({ pieces } = choice);
  } else pieces = setting;
  const tokenizer = tokenizerFor(conversations, { vocabulary, pieces });
  return untrained(shapeFor(tokenizer, sizes), tokenizer, seed);
}
