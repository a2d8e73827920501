/** The script of a test page: runs a tiny model in the browser. */
import { userMessage } from "@envs/core";
import { chatModel, readCheckpoint, TinyModel, writeCheckpoint } from "@envs/tiny-model";
import { tinyBackend } from "@envs/trainer";

import { trainOnSequence } from "./lesson.ts";

/** The functions that tests call in the page. */
export interface Page {
  reply(question: string, temperature: number, seed: number): Promise<string>;
  /** Trains on one sequence. Returns the losses, and the bytes of the checkpoint after the last step. */
  learn(ids: readonly number[], steps: number): Promise<{ losses: number[]; bytes: number[] }>;
  /** Returns the errors of functions that need files or threads. */
  unsupportedErrors(): Promise<string[]>;
}

const response = await fetch("model.safetensors");
const checkpoint = readCheckpoint(new Uint8Array(await response.arrayBuffer()), "the model");
const { signal } = new AbortController();

const page: Page = {
  async reply(question, temperature, seed) {
    const model = chatModel(await TinyModel.start("page", checkpoint));
    const messages = [userMessage(question)];
    const { message } = await model({ messages, signal, seed, sampling: { temperature } });
    return message.content;
  },

  async learn(ids, steps) {
    const model = await TinyModel.start("page", checkpoint);
    const losses = await trainOnSequence(tinyBackend(model), ids, steps);
    return { losses, bytes: [...writeCheckpoint(await model.checkpoint())] };
  },

  async unsupportedErrors() {
    const backend = tinyBackend(await TinyModel.start("page", checkpoint));
    const results = await Promise.allSettled([
      backend.saveState("model.safetensors"),
      backend.loadState("model.safetensors"),
      TinyModel.start("page", checkpoint, { threads: 2 }),
    ]);
    return results.map((result) =>
      result.status === "rejected" ? String(result.reason) : "succeeded",
    );
  },
};

Object.assign(globalThis, { page });
