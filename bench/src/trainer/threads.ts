import { type SampleRequest, TinyModel } from "@envs/tiny-model";
import { type Backend, tinyBackend } from "@envs/trainer";

import type { Figure } from "../figure.ts";
import { speedup, rate, rounds } from "../rounds.ts";
import { loadMaterial, countTokens } from "./material.ts";

const roundCount = 7;
const aim = { at: "least", value: 1.6 } as const;
const frozen = { learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };

/** Compares one thread with two: a training step on the same batch, and completions of the same prompts. */
export async function threads(): Promise<readonly Figure[]> {
  const { checkpoint, games, prompts } = await loadMaterial();
  const batch = games.slice(0, 256);
  const requests = prompts.map((promptIds, seed): SampleRequest => ({
    promptIds,
    seed,
    maxTokens: 32,
    temperature: 1,
    topP: 1,
  }));
  const one = tinyBackend(await TinyModel.start("one", checkpoint));
  const two = tinyBackend(await TinyModel.start("two", checkpoint, { threads: 2 }));
  const step = (backend: Backend) => async () => {
    await backend.forwardBackward(batch, { name: "cross_entropy" });
    // A learning rate of 0 keeps the weights, so that every round has the same work.
    await backend.optimStep({ ...frozen, clipNorm: 1 });
  };
  let sampled = 0;
  const sample = (backend: Backend) => async () => {
    const completions = await backend.sample(requests);
    sampled = completions.reduce((sum, { ids }) => sum + ids.length, 0);
  };
  const measured = await rounds(roundCount, {
    learnOne: step(one),
    learnTwo: step(two),
    sampleOne: sample(one),
    sampleTwo: sample(two),
  });
  await two.close();
  return [
    {
      name: "games learned from, 256 in a step, optimiser included: one thread",
      unit: "tokens/s",
      ...rate(countTokens(batch), measured.learnOne),
    },
    {
      name: "gain of a second thread",
      unit: "×",
      ...speedup(measured.learnTwo, measured.learnOne),
      aim,
    },
    {
      name: "tokens drawn, 512 first moves of games at once: one thread",
      unit: "tokens/s",
      ...rate(sampled, measured.sampleOne),
    },
    {
      name: "gain of a second thread",
      unit: "×",
      ...speedup(measured.sampleTwo, measured.sampleOne),
      aim,
    },
  ];
}
