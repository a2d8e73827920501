import { readFile } from "node:fs/promises";

import { type Message, policy, rollouts } from "@envs/core";
import tictactoe from "@envs/tictactoe";
import { chatRenderer, type Checkpoint, readCheckpoint } from "@envs/tiny-model";
import type { Datum } from "@envs/trainer";

import { sftBatch, sftExample } from "../../../packages/trainer/src/train/sft-example.ts";

/** The input of all trainer benchmarks: the model `tiny:base`, and games of the policy `careless`. */
export interface Material {
  readonly checkpoint: Checkpoint;
  /** Conversations as tokens. Only the replies of the policy have weights. */
  readonly games: readonly Datum[];
  /** The prompts of the games as tokens. */
  readonly prompts: readonly (readonly number[])[];
}

const count = 512;
let cached: Promise<Material> | undefined;

/** Reads the model and plays the games on the first call; later calls return the same. */
export function loadMaterial(): Promise<Material> {
  return (cached ??= createMaterial());
}

async function createMaterial(): Promise<Material> {
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

/** Concatenates the games and cuts them into `sequences` of `length` tokens, all with the same weight. */
export function cutGames(
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

/** Scales the weights of all games so that they sum to 1. */
export function normalizeWeights(games: readonly Datum[]): Datum[] {
  const total = games.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
  return games.map((game) => ({ ...game, weights: game.weights.map((weight) => weight / total) }));
}

/** Counts the input tokens. */
export function countTokens(data: readonly Datum[]): number {
  return data.reduce((sum, { inputs }) => sum + inputs.length, 0);
}
