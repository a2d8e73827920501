import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { resetOptimizer, type TinyModel } from "@envs/tiny-model";
import { afterAll, expect, test } from "vitest";

import { type Backend, type Datum, type LossSettings, tinkerBackend } from "../../src/index.ts";
import { sftBatch, sftExample } from "../../src/train/sft-example.ts";
import { letterRequests, letterChats, sampledData } from "./letter-environment.ts";
import { startPair } from "./start-pair.ts";

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

test("sample() returns the same tokens and log-probabilities as the local model", async () => {
  await using pair = await startPair();
  for (const temperature of [1, 0.7, 0]) {
    const requests = letterRequests(pair.local, temperature);
    expect(await pair.remote.sample(requests)).toEqual(await pair.local.sample(requests));
  }
});

test("sample() publishes the weights only after they have changed", async () => {
  await using pair = await startPair();
  const { remote, server } = pair;
  const count = (): number =>
    server.routes.filter((route) => route === "save_weights_for_sampler").length;
  expect(count()).toBe(0);
  await remote.sample(letterRequests(remote));
  await remote.sample(letterRequests(remote));
  expect(count()).toBe(1);
  const data = sftBatch(letterChats.map((chat) => sftExample(chat, remote.renderer)));
  for (let step = 0; step < 3; step += 1) {
    await remote.forwardBackward(data, { name: "cross_entropy" });
    await remote.optimStep(adam);
  }
  expect(count()).toBe(1);
  await remote.sample(letterRequests(remote));
  expect(count()).toBe(2);
});

test("sample() opens a session with the weights' path if the service returns a path", async () => {
  await using pair = await startPair({ byPath: true });
  const requests = letterRequests(pair.local);
  expect(await pair.remote.sample(requests)).toEqual(await pair.local.sample(requests));
  expect(pair.server.routes).toContain("create_sampling_session");
});

test("cross_entropy gives the same loss, and identical weights", async () => {
  await using pair = await startPair();
  const { local, localModel, remote, servedModel } = pair;
  const data = sftBatch(letterChats.map((chat) => sftExample(chat, local.renderer)));
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
  { name: "clip", epsilonLow: 0.02, epsilonHigh: 0.03, importanceLevel: "sequence" },
])("$name ($importanceLevel) gives the same loss, sums and weights", async (loss) => {
  await using pair = await startPair();
  const { local, localModel, remote, servedModel } = pair;
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
  expect(maxDifference(await weightsOf(servedModel), await weightsOf(localModel))).toBeLessThan(
    1e-4,
  );
});

test("oldLogprobs correct for a sampler whose log-probabilities differ", async () => {
  await using pair = await startPair();
  const { local, localModel, remote, servedModel } = pair;
  const sampled = await sampledData(local);
  const old = await remote.forward(sampled);
  const data = sampled.map((datum, index): Datum => {
    const samplingLogprobs = datum.samplingLogprobs!.map((value, index) => value - 0.4 * index);
    return { ...datum, samplingLogprobs, oldLogprobs: old[index]!.logprobs };
  });
  const loss = { name: "cispo", importanceCap: 2 } as const;
  const expected = await local.forwardBackward(data, loss);
  const result = await remote.forwardBackward(data, loss);
  expect(result.loss).toBeCloseTo(expected.loss, 5);
  expect(result.sums["importance"]).toBeCloseTo(expected.sums["importance"]!, 4);
  await local.optimStep(adam);
  await remote.optimStep(adam);
  expect(maxDifference(await weightsOf(servedModel), await weightsOf(localModel))).toBeLessThan(
    1e-5,
  );
});

test("forward() returns the log-probability of every token and does not change the weights", async () => {
  await using pair = await startPair();
  const { local, remote, servedModel } = pair;
  const data = await sampledData(local);
  const allTokens = data.map((datum) => ({ ...datum, weights: datum.weights.map(() => 1) }));
  const expected = await local.forward(allTokens);
  const before = await weightsOf(servedModel);
  const forwards = await remote.forward(data);
  expect(forwards.map(({ logprobs }) => logprobs)).toEqual(
    expected.map(({ logprobs }) => logprobs),
  );
  await remote.optimStep({ ...adam, weightDecay: 0 });
  expect(await weightsOf(servedModel)).toEqual(before);
});

test("forwardBackward() splits a large batch into several requests", async () => {
  await using pair = await startPair();
  const { local, localModel, remote, servedModel, server } = pair;
  const [datum] = sftBatch([sftExample(letterChats[0]!, local.renderer)]);
  const data = Array.from({ length: 600 }, () => ({
    ...datum!,
    weights: datum!.weights.map((weight) => weight / 600),
  }));
  const expected = await local.forwardBackward(data, { name: "cross_entropy" });
  const result = await remote.forwardBackward(data, { name: "cross_entropy" });
  expect(server.routes.filter((route) => route === "forward_backward")).toHaveLength(3);
  expect(result.loss).toBeCloseTo(expected.loss, 5);
  await local.optimStep(adam);
  await remote.optimStep(adam);
  expect(maxDifference(await weightsOf(servedModel), await weightsOf(localModel))).toBeLessThan(
    1e-5,
  );
});

test("forwardBackward() does not send an empty batch", async () => {
  await using pair = await startPair();
  const { forwards, loss } = await pair.remote.forwardBackward([], { name: "cross_entropy" });
  expect({ forwards, loss }).toEqual({ forwards: [], loss: 0 });
  expect(pair.server.routes).not.toContain("forward_backward");
});

test("loadState() restores weights and optimizer state in a later run", async () => {
  await using pair = await startPair();
  const { local, remote, servedModel, server } = pair;
  const path = join(folder, "rl step 5.safetensors");
  const data = sftBatch(letterChats.map((chat) => sftExample(chat, local.renderer)));
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
  await later.close();
});

test("loadState() loads the weights alone if asked to, with a new optimizer", async () => {
  await using pair = await startPair();
  const { local, remote, servedModel } = pair;
  const path = join(folder, "weights alone");
  const data = sftBatch(letterChats.map((chat) => sftExample(chat, local.renderer)));
  await remote.forwardBackward(data, { name: "cross_entropy" });
  await remote.optimStep(adam);
  await remote.saveState(path);
  const { state } = resetOptimizer(await servedModel.checkpoint());
  await remote.loadState(path, { resetsOptimizer: true });
  expect((await servedModel.checkpoint()).state).toEqual(state);
});

test("loadState() rejects a file that is not a checkpoint of a service", async () => {
  await using pair = await startPair();
  const path = join(folder, "other");
  await pair.local.saveState(path);
  await expect(pair.remote.loadState(path)).rejects.toThrow("is not a checkpoint of a Tinker");
});

test.for<[string, string]>([
  ["Tinker", "tinker://model_1/sampler_weights/adapter-1"],
  ["SkyRL", "tinker://model_1/adapter-1"],
])("adapterArchive() downloads the adapter from a path of %s", async ([, path]) => {
  await using pair = await startPair();
  pair.server.alterResult = () => ({ path });
  const checkpoints = "training_runs/model_1/checkpoints";
  const named = `${checkpoints}/sampler_weights/adapter-1/archive` as "forward";
  const unnamed = `${checkpoints}/adapter-1/archive` as "forward";
  pair.server.faults.push(
    ...(path.includes("sampler_weights")
      ? [{ route: named, body: "archive" }]
      : [
          { route: named, status: 405 },
          { route: unnamed, body: "archive" },
        ]),
  );
  expect(new TextDecoder().decode(await pair.remote.adapterArchive!())).toBe("archive");
});

test("close() unloads the model, and later calls fail", async () => {
  const pair = await startPair();
  await pair.remote.close();
  expect(pair.server.routes.at(-1)).toBe("unload_model");
  await expect(pair.remote.sample(letterRequests(pair.remote))).rejects.toThrow("was closed");
  await pair.server[Symbol.asyncDispose]();
});

function maxDifference(left: Float32Array, right: Float32Array): number {
  return left.reduce((max, value, index) => Math.max(max, Math.abs(value - right[index]!)), 0);
}
