import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import type { LossSettings } from "../../src/index.ts";
import { splitTensors, writeNumbers } from "../../src/tinker/protobuf/tensors.ts";
import { file_tinker, type BatchedTensor } from "../../src/tinker/protobuf/tinker_pb.ts";
import { sftBatch, sftExample } from "../../src/train/sft-example.ts";
import { letterChats, letterRequests, sampledData } from "./letter-environment.ts";
import { startPair } from "./start-pair.ts";

const adam = {
  learningRate: 0.05,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};

test("a service that requires protobuf gives the same samples, log-probabilities, losses and weights", async () => {
  await using pair = await startPair({ protobuf: true });
  const { local, localModel, remote, servedModel, server } = pair;
  const requests = letterRequests(local);
  const samples = (await local.sample(requests)).map(({ logprobs, ...sample }) => ({
    ...sample,
    logprobs: logprobs.map((value) => Math.fround(value)),
  }));
  expect(await remote.sample(requests)).toEqual(samples);
  const data = await sampledData(local);
  const everyToken = data.map((datum) => ({ ...datum, weights: datum.weights.map(() => 1) }));
  const logprobs = (await local.forward(everyToken)).map((forward) => forward.logprobs);
  expect((await remote.forward(data)).map((forward) => forward.logprobs)).toEqual(logprobs);
  const chats = sftBatch(letterChats.map((chat) => sftExample(chat, local.renderer)));
  const losses: LossSettings[] = [{ name: "cross_entropy" }, { name: "cispo", epsilonHigh: 1.05 }];
  for (const loss of losses) {
    const batch = loss.name === "cispo" ? data : chats;
    const expected = await local.forwardBackward(batch, loss);
    const result = await remote.forwardBackward(batch, loss);
    expect(result.loss, loss.name).toBeCloseTo(expected.loss, 5);
    await local.optimStep(adam);
    await remote.optimStep(adam);
  }
  const [expected, weights] = await Promise.all([
    localModel.checkpoint(),
    servedModel.checkpoint(),
  ]);
  for (const [index, weight] of expected.state.weights.entries())
    expect(Math.abs(weight - weights.state.weights[index]!)).toBeLessThan(1e-5);
  // One request in JSON: the client remembers that the service rejected it.
  expect(server.routes.filter((route) => route.startsWith("forward"))).toEqual([
    "forward",
    "forward_backward",
    "forward_backward",
    "forward_backward",
  ]);
});

test("loadState() loads a checkpoint into a model that was trained, by creating another one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tinker-protobuf-"));
  const path = join(folder, "checkpoint.json");
  await using pair = await startPair({ protobuf: true });
  const { local, remote, servedModel, server } = pair;
  const chats = sftBatch(letterChats.map((chat) => sftExample(chat, local.renderer)));
  const step = async () => {
    await remote.forwardBackward(chats, { name: "cross_entropy" });
    await remote.optimStep(adam);
    return (await servedModel.checkpoint()).state;
  };
  await step();
  await remote.saveState(path);
  const expected = await step();
  await remote.loadState(path);
  expect(server.routes.slice(-4)).toEqual([
    "load_weights",
    "unload_model",
    "create_model",
    "load_weights",
  ]);
  expect(await step()).toEqual(expected);
  const requests = letterRequests(local);
  expect(await remote.sample(requests)).toHaveLength(requests.length);
  await rm(folder, { recursive: true });
});

const tensor = (dtype: number, data: Uint8Array, offsets: readonly number[]): BatchedTensor => ({
  $typeName: "tinker_public.BatchedTensor",
  data,
  offsets: writeNumbers("int64", offsets),
  dtype,
});

test("splitTensors() reads bfloat16 and float32 at byte offsets, in an unaligned message", () => {
  const values = [1.5, -2, 0.375, -Infinity];
  const shifted = (bytes: Uint8Array) => new Uint8Array([0, ...bytes]).subarray(1);
  const half = shifted(writeNumbers("bfloat16", values));
  expect(splitTensors(tensor(4, half, [0, 2, 2, 8]))).toEqual([[1.5], [], [-2, 0.375, -Infinity]]);
  const single = shifted(writeNumbers("float32", values));
  expect(splitTensors(tensor(1, single, [0, 12, 16]))).toEqual([[1.5, -2, 0.375], [-Infinity]]);
});

test.for<[string, BatchedTensor, string]>([
  ["an unknown dtype", tensor(9, new Uint8Array(4), [0, 4]), "unknown dtype 9"],
  ["offsets beyond the data", tensor(1, new Uint8Array(4), [0, 8]), "the offsets 0 to 8 do not"],
  ["offsets inside a value", tensor(1, new Uint8Array(8), [0, 3, 8]), "3 bytes are not a whole"],
  ["falling offsets", tensor(1, new Uint8Array(8), [0, 8, 4, 8]), "the offset 4 follows 8"],
])("splitTensors() rejects %s", ([, batch, message]) => {
  expect(() => splitTensors(batch)).toThrow(message);
});

test("tinker_pb.ts has the messages and field numbers of tinker.proto", async () => {
  const path = join(import.meta.dirname, "../../src/tinker/protobuf/tinker.proto");
  const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.trim());
  const fields = lines.flatMap((line) => {
    const [, name, number] = /^\w.* (\w+) = (\d+);$/u.exec(line) ?? [];
    return name === undefined ? [] : [`${name} = ${number}`];
  });
  const messages = lines.flatMap((line) => /^message (\w+)/u.exec(line)?.[1] ?? []);
  expect(file_tinker.messages.map(({ name }) => name)).toEqual(messages);
  expect(
    file_tinker.messages.flatMap((message) =>
      message.fields.map(({ name, number }) => `${name} = ${number}`),
    ),
  ).toEqual(fields);
});
