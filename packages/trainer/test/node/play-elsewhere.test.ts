import { rollouts } from "@envs/core";
import { chatModel, readCheckpoint, TinyModel } from "@envs/tiny-model";
import { expect, test } from "vitest";

import { type Backend, tinyBackend } from "../../src/index.ts";
import { playElsewhere, type PlayWithWeights } from "../../src/node/play-elsewhere.ts";
import { meterTokens } from "../../src/node/token-meter.ts";
import { sayLetter, startTinyModel } from "../tinker/letter-environment.ts";

const size = { examples: 3, rolloutsPerExample: 4, seed: 3, sampling: { maxTokens: 4 } } as const;
const none = { prompt: 0, sampled: 0, trained: 0 };

/** Plays rollouts with a model that loads the weights that a backend publishes. */
const play: PlayWithWeights = async function* playWithWeights(environment, options, weights) {
  const published = await weights();
  if (!("checkpoint" in published)) throw new Error("The tiny model publishes a checkpoint.");
  const tiny = await TinyModel.start("copy", readCheckpoint(published.checkpoint, "weights"));
  yield* rollouts(environment, { ...options, model: chatModel(tiny) });
  await tiny.close();
};

test("rollouts from published weights have the same tokens and log-probabilities, and are counted", async () => {
  const backend = tinyBackend(await startTinyModel());
  const [here, elsewhere] = [meterTokens(backend, none), meterTokens(backend, none)];
  const options = { ...size, model: chatModel(here.backend) };
  const tokensOf = async (played: ReturnType<typeof play>) =>
    (await Array.fromAsync(played))
      .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
      .map(({ trajectory }) => trajectory.map(({ tokens }) => tokens));
  const expected = await tokensOf(rollouts(sayLetter(), options));
  const played = playElsewhere(play, backend, elsewhere)(sayLetter(), options);
  expect(await tokensOf(played)).toEqual(expected);
  expect(here.counts.sampled).toBeGreaterThan(0);
  expect(elsewhere.counts).toEqual(here.counts);
  await backend.close();
});

test("tokens that the backend samples itself are counted once", async () => {
  const backend = tinyBackend(await startTinyModel());
  const meter = meterTokens(backend, none);
  const options = { ...size, model: chatModel(meter.backend) };
  await Array.fromAsync(playElsewhere(rollouts, backend, meter)(sayLetter(), options));
  const here = meterTokens(backend, none);
  await Array.fromAsync(rollouts(sayLetter(), { ...size, model: chatModel(here.backend) }));
  expect(meter.counts).toEqual(here.counts);
  await backend.close();
});

test("rejects a backend that publishes no weights, by name", async () => {
  const tiny = tinyBackend(await startTinyModel());
  const { samplingWeights: _, ...backend }: Backend = tiny;
  const meter = meterTokens(backend, none);
  const played = playElsewhere(
    play,
    backend,
    meter,
  )(sayLetter(), {
    ...size,
    model: chatModel(backend),
  });
  await expect(Array.fromAsync(played)).rejects.toThrow(
    "The backend of tiny does not publish its weights",
  );
  await tiny.close();
});
