import { readFile } from "node:fs/promises";

import { type Message, policy, rollouts } from "@envs/core";
import tictactoe from "@envs/tictactoe";
import { chatRenderer, type Checkpoint, readCheckpoint } from "@envs/tiny-model";
import type { Datum } from "@envs/trainer";

import { sftBatch, sftExample } from "../../../packages/trainer/src/train/sft-example.ts";

/** What all benchmarks of the trainer work on: the model that is shipped, and games that it could learn from. */
export interface Material {
  readonly checkpoint: Checkpoint;
  /** Conversations as tokens; only what the model says is trained on. */
  readonly games: readonly Datum[];
  /** Openings of games as tokens. */
  readonly prompts: readonly (readonly number[])[];
}

const count = 512;
let made: Promise<Material> | undefined;

/** Reads the model and plays the games, once. */
export function material(): Promise<Material> {
  return (made ??= make());
}

async function make(): Promise<Material> {
  const file = new URL(import.meta.resolve("@envs/tiny-base/model.safetensors"));
  const checkpoint = readCheckpoint(await readFile(file), "tiny:base");
  const renderer = chatRenderer(checkpoint.tokenizer);
  const chats: Message[][] = [];
  const prompts: number[][] = [];
  const options = { model: policy("careless"), examples: count, rolloutsPerExample: 1, seed: 1 };
  for await (const { prompt, completion } of rollouts(tictactoe({ examples: count }), options)) {
    chats.push([...prompt, ...completion]);
    prompts.push(renderer.prompt(prompt));
  }
  return { checkpoint, games: sftBatch(chats.map((chat) => sftExample(chat, renderer))), prompts };
}

/** The same games laid end to end and cut into `sequences` of one length, every token trained on. */
export function cut(
  games: readonly Datum[],
  { sequences, length }: { readonly sequences: number; readonly length: number },
): Datum[] {
  const ids = games.flatMap(({ inputs }) => [...inputs]);
  const weight = 1 / (sequences * length);
  return Array.from({ length: sequences }, (_, index) => {
    const start = index * length;
    return {
      inputs: Int32Array.from(ids.slice(start, start + length)),
      targets: Int32Array.from(ids.slice(start + 1, start + length + 1)),
      weights: new Float32Array(length).fill(weight),
    };
  });
}

/** The games with weights that sum to 1. */
export function weighed(games: readonly Datum[]): Datum[] {
  const total = games.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
  return games.map((game) => ({ ...game, weights: game.weights.map((each) => each / total) }));
}

/** How many tokens some data have. */
export function tokensOf(data: readonly Datum[]): number {
  return data.reduce((sum, { inputs }) => sum + inputs.length, 0);
}
