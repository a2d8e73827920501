import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TinyModel } from "@envs/tiny-model";
import { afterAll, expect, test } from "vitest";

import { type Backend, type Datum, type LossSettings, tinkerBackend } from "../../src/index.ts";
import { sftBatch, sftExample } from "../../src/train/sft-example.ts";
import { askForLetters, lessons, sampledData } from "./letters.ts";
import { startPair } from "./pair.ts";

const folder = await mkdtemp(join(tmpdir(), "tinker-backend-"));
afterAll(() => rm(folder, { recursive: true }));

const adam = {
  learningRate: 0.05,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};

async function weightsOf(model: TinyModel): Promise<Float32Array> {
  return (await model.checkpoint()).state.weights;
}

test("what is sampled with a seed is what the model itself samples, log-probabilities included", async () => {
  await using both = await startPair();
  for (const temperature of [1, 0.7, 0]) {
    const requests = askForLetters(both.local, temperature);
    expect(await both.remote.sample(requests)).toEqual(await both.local.sample(requests));
  }
});

test("the weights go to the sampler only when they have changed and somebody samples", async () => {
  await using both = await startPair();
  const { remote, server } = both;
  const count = (): number =>
    server.asked.filter((route) => route === "save_weights_for_sampler").length;
  expect(count()).toBe(0);
  await remote.sample(askForLetters(remote));
  await remote.sample(askForLetters(remote));
  expect(count()).toBe(1);
  const data = sftBatch(lessons.map((lesson) => sftExample(lesson, remote.renderer)));
  for (let step = 0; step < 3; step += 1) {
    await remote.forwardBackward(data, { name: "cross_entropy" });
    await remote.optimStep(adam);
  }
  expect(count()).toBe(1);
  await remote.sample(askForLetters(remote));
  expect(count()).toBe(2);
});

test("a service that keeps what is sampled from names it by its path", async () => {
  await using both = await startPair({ byPath: true });
  const requests = askForLetters(both.local);
  expect(await both.remote.sample(requests)).toEqual(await both.local.sample(requests));
  expect(both.server.asked).toContain("create_sampling_session");
});

test("cross-entropy gives the same loss, and the same weights to the bit", async () => {
  await using both = await startPair();
  const { local, localModel, remote, servedModel } = both;
  const data = sftBatch(lessons.map((lesson) => sftExample(lesson, local.renderer)));
  for (let step = 0; step < 3; step += 1) {
    const expected = await local.forwardBackward(data, { name: "cross_entropy" });
    const result = await remote.forwardBackward(data, { name: "cross_entropy" });
    expect(result.loss).toBe(expected.loss);
    const { entropy: _, ...sums } = expected.sums;
    expect(result.sums).toEqual(sums);
    expect(await remote.optimStep(adam)).toEqual(await local.optimStep(adam));
  }
  expect(await weightsOf(servedModel)).toEqual(await weightsOf(localModel));
});

test.for<LossSettings>([
  { name: "importance_sampling" },
  { name: "cispo", epsilonHigh: 1.05 },
  { name: "clip", epsilonLow: 0.02, epsilonHigh: 0.03 },
])("$name gives the same loss, sums and weights", async (loss) => {
  await using both = await startPair();
  const { local, localModel, remote, servedModel } = both;
  const data = await sampledData(local);
  for (let step = 0; step < 3; step += 1) {
    const expected = await local.forwardBackward(data, loss);
    const result = await remote.forwardBackward(data, loss);
    expect(result.loss).toBeCloseTo(expected.loss, 5);
    for (const [name, sum] of Object.entries(result.sums))
      expect(sum, name).toBeCloseTo(expected.sums[name]!, 4);
    const { gradientNorm } = await local.optimStep(adam);
    expect((await remote.optimStep(adam)).gradientNorm).toBeCloseTo(gradientNorm!, 5);
  }
  expect(far(await weightsOf(servedModel), await weightsOf(localModel))).toBeLessThan(1e-4);
});

test("data with old log-probabilities are corrected for a sampler that disagrees", async () => {
  await using both = await startPair();
  const { local, localModel, remote, servedModel } = both;
  const sampled = await sampledData(local);
  const old = await remote.forward(sampled);
  const data = sampled.map((datum, index): Datum => {
    const samplingLogprobs = datum.samplingLogprobs!.map((value, place) => value - 0.4 * place);
    return { ...datum, samplingLogprobs, oldLogprobs: old[index]!.logprobs };
  });
  const loss = { name: "cispo", importanceCap: 2 } as const;
  const expected = await local.forwardBackward(data, loss);
  const result = await remote.forwardBackward(data, loss);
  expect(result.loss).toBeCloseTo(expected.loss, 5);
  expect(result.sums["importance"]).toBeCloseTo(expected.sums["importance"]!, 4);
  await local.optimStep(adam);
  await remote.optimStep(adam);
  expect(far(await weightsOf(servedModel), await weightsOf(localModel))).toBeLessThan(1e-5);
});

test("forward tells the log-probability of every token, and learns nothing", async () => {
  await using both = await startPair();
  const { local, remote, servedModel } = both;
  const data = await sampledData(local);
  const everywhere = data.map((datum) => ({ ...datum, weights: datum.weights.map(() => 1) }));
  const expected = await local.forward(everywhere);
  const before = await weightsOf(servedModel);
  const read = await remote.forward(data);
  expect(read.map(({ logprobs }) => logprobs)).toEqual(expected.map(({ logprobs }) => logprobs));
  await remote.optimStep({ ...adam, weightDecay: 0 });
  expect(await weightsOf(servedModel)).toEqual(before);
});

test("a batch too large for one request is sent in parts, in order, and counts as one", async () => {
  await using both = await startPair();
  const { local, localModel, remote, servedModel, server } = both;
  const [datum] = sftBatch([sftExample(lessons[0]!, local.renderer)]);
  const data = Array.from({ length: 600 }, () => ({
    ...datum!,
    weights: datum!.weights.map((weight) => weight / 600),
  }));
  const expected = await local.forwardBackward(data, { name: "cross_entropy" });
  const result = await remote.forwardBackward(data, { name: "cross_entropy" });
  expect(server.asked.filter((route) => route === "forward_backward")).toHaveLength(3);
  expect(result.loss).toBeCloseTo(expected.loss, 5);
  await local.optimStep(adam);
  await remote.optimStep(adam);
  expect(far(await weightsOf(servedModel), await weightsOf(localModel))).toBeLessThan(1e-5);
});

test("an empty batch asks for nothing", async () => {
  await using both = await startPair();
  const { forwards, loss } = await both.remote.forwardBackward([], { name: "cross_entropy" });
  expect({ forwards, loss }).toEqual({ forwards: [], loss: 0 });
  expect(both.server.asked).not.toContain("forward_backward");
});

test("a state that was saved comes back in a later run, optimiser included", async () => {
  await using both = await startPair();
  const { local, remote, servedModel, server } = both;
  const path = join(folder, "rl step 5.safetensors");
  const data = sftBatch(lessons.map((lesson) => sftExample(lesson, local.renderer)));
  const step = async (backend: Backend): Promise<void> => {
    await backend.forwardBackward(data, { name: "cross_entropy" });
    await backend.optimStep(adam);
  };
  await step(remote);
  await remote.saveState(path);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    kind: "tinker-checkpoint",
    path: "tinker://model_1/weights/rl-step-5-3",
    baseModel: "tiny",
  });
  await step(remote);
  const expected = await weightsOf(servedModel);

  const later = await tinkerBackend({
    baseURL: `${server.url}/api/v1/`,
    baseModel: "tiny",
    renderer: local.renderer,
  });
  await later.loadState(path);
  await step(later);
  expect(await weightsOf(servedModel)).toEqual(expected);
  await later.loadState("tinker://model_1/weights/rl-step-5-3");
  await later.sample(askForLetters(later));
  await later.close();
});

test("what is no checkpoint of this model is refused", async () => {
  await using both = await startPair();
  const path = join(folder, "other");
  await both.local.saveState(path);
  await expect(both.remote.loadState(path)).rejects.toThrow("is not a checkpoint of a Tinker");
});

test("the model is unloaded at the end, and nothing more can be asked for", async () => {
  const both = await startPair();
  await both.remote.close();
  expect(both.server.asked.at(-1)).toBe("unload_model");
  await expect(both.remote.sample(askForLetters(both.remote))).rejects.toThrow("was closed");
  await both.server[Symbol.asyncDispose]();
});

function far(left: Float32Array, right: Float32Array): number {
  return left.reduce((most, value, index) => Math.max(most, Math.abs(value - right[index]!)), 0);
}
