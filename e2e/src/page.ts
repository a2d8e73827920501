/** Runs in a browser: what the tests ask of a tiny model there. */
import { user } from "@envs/core";
import { chatModel, readCheckpoint, TinyModel, writeCheckpoint } from "@envs/tiny-model";
import { tinyBackend } from "@envs/trainer";

import { lossesOf } from "./lesson.ts";

/** What a page can be asked. */
export interface Page {
  reply(question: string, temperature: number, seed: number): Promise<string>;
  /** The losses of some steps on one sequence, and the checkpoint after them. */
  learn(ids: readonly number[], steps: number): Promise<{ losses: number[]; bytes: number[] }>;
  /** What is said where a page has no such thing: files, threads. */
  refusals(): Promise<string[]>;
}

const response = await fetch("model.safetensors");
const checkpoint = readCheckpoint(new Uint8Array(await response.arrayBuffer()), "the model");
const { signal } = new AbortController();

const page: Page = {
  async reply(question, temperature, seed) {
    const model = chatModel(await TinyModel.start("page", checkpoint));
    const messages = [user(question)];
    const { message } = await model({ messages, signal, seed, sampling: { temperature } });
    return message.content;
  },

  async learn(ids, steps) {
    const model = await TinyModel.start("page", checkpoint);
    const losses = await lossesOf(tinyBackend(model), ids, steps);
    return { losses, bytes: [...writeCheckpoint(await model.checkpoint())] };
  },

  async refusals() {
    const backend = tinyBackend(await TinyModel.start("page", checkpoint));
    const refused = await Promise.allSettled([
      backend.saveState("model.safetensors"),
      backend.loadState("model.safetensors"),
      TinyModel.start("page", checkpoint, { threads: 2 }),
    ]);
    return refused.map((each) => (each.status === "rejected" ? String(each.reason) : "done"));
  },
};

Object.assign(globalThis, { page });
