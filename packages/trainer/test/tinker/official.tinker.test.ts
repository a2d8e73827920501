import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { type Backend, tinkerBackend, type TinkerOptions, tinyBackend } from "../../src/index.ts";
import { file_tinker } from "../../src/tinker/protobuf/tinker_pb.ts";
import { sftBatch, sftExample } from "../../src/train/sft-example.ts";
import { letterChats, sampledData, startTinyModel } from "./letter-environment.ts";
import { SkyrlServer } from "./skyrl-server.ts";

// A random model does not learn from rewards in seconds, so these tests compare losses and log-probabilities.

const server = await SkyrlServer.start();
const folder = await mkdtemp(join(tmpdir(), "tinker-official-"));
const { renderer } = tinyBackend(await startTinyModel());
const adam = {
  learningRate: 0.005,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-12,
  weightDecay: 0,
  clipNorm: 1,
};
const chats = sftBatch(letterChats.map((chat) => sftExample(chat, renderer)));

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function connect(options: Partial<TinkerOptions> = {}) {
  const backend = await tinkerBackend({
    baseURL: server.url,
    baseModel: server.model,
    renderer,
    contextLength: 128,
    loraRank: 8,
    ...options,
  });
  return Object.assign(backend, { [Symbol.asyncDispose]: () => backend.close() });
}

async function logprobsOf(backend: Backend): Promise<number[]> {
  return (await backend.forward(chats)).flatMap(({ logprobs }) => [...logprobs]);
}

async function sftStep(backend: Backend): Promise<number> {
  const { loss } = await backend.forwardBackward(chats, { name: "cross_entropy" });
  await backend.optimStep(adam);
  return loss;
}

test("the loss of supervised fine-tuning falls", async () => {
  await using backend = await connect();
  const losses: number[] = [];
  for (let step = 0; step < 8; step += 1) losses.push(await sftStep(backend));
  expect(losses.at(-1)).toBeLessThan(losses[0]! - 0.3);
});

test("the sampler's log-probabilities equal the trainer's, also after a step", async () => {
  await using backend = await connect();
  const differences: number[] = [];
  for (const isTrained of [false, true]) {
    if (isTrained) await sftStep(backend);
    const data = await sampledData(backend);
    const forwards = await backend.forward(data);
    for (const [index, { samplingLogprobs, weights }] of data.entries())
      for (const [position, weight] of weights.entries()) {
        const logprob = forwards[index]!.logprobs[position]!;
        if (weight !== 0) differences.push(Math.abs(logprob - samplingLogprobs![position]!));
      }
  }
  expect(Math.max(...differences)).toBeLessThan(1e-4);
});

test("a fixed batch moves log-probabilities in the direction of its advantages", async () => {
  await using backend = await connect();
  await backend.check?.({ loss: { name: "cispo" }, temperature: 1 });
  const data = await sampledData(backend);
  const sumOf = async (index: number): Promise<number> => {
    const { logprobs } = (await backend.forward(data))[index]!;
    return logprobs.reduce(
      (sum, value, at) => sum + (data[index]!.weights[at] === 0 ? 0 : value),
      0,
    );
  };
  // The advantages are −0.7, 0.3 and 1.3.
  const before = [await sumOf(0), await sumOf(2)];
  for (let step = 0; step < 4; step += 1) {
    await backend.forwardBackward(data, { name: "cispo" });
    await backend.optimStep(adam);
  }
  expect(await sumOf(0)).toBeLessThan(before[0]!);
  expect(await sumOf(2)).toBeGreaterThan(before[1]!);
});

test("check() rejects a loss that the server does not compute", async () => {
  await using backend = await connect();
  const loss = { name: "clip", importanceLevel: "sequence" } as const;
  await expect(backend.check?.({ loss, temperature: 1 })).rejects.toThrow("few compute gspo");
});

test("loadState() restores weights and optimizer in a trained model and in a new one", async () => {
  const path = join(folder, "state");
  await using backend = await connect();
  await sftStep(backend);
  await backend.saveState(path);
  await sftStep(backend);
  const expected = await logprobsOf(backend);
  await backend.loadState(path);
  await sftStep(backend);
  const repeated = await logprobsOf(backend);
  await backend.close();
  await using later = await connect();
  await later.loadState(path);
  await sftStep(later);
  const resumed = await logprobsOf(later);
  for (const [index, value] of expected.entries()) {
    expect(repeated[index]).toBeCloseTo(value, 4);
    expect(resumed[index]).toBeCloseTo(value, 4);
  }
});

test("the messages of tinker.proto are messages of the official SDK", () => {
  const script = `
import json
from tinker.proto import tinker_public_pb2 as pb
print(json.dumps({name: {field.name: field.number for field in message.fields}
                  for name, message in pb.DESCRIPTOR.message_types_by_name.items()}))`;
  const official: Record<string, Record<string, number>> = JSON.parse(
    execFileSync(process.env["ENVS_PYTHON"]!, ["-c", script], { encoding: "utf8" }),
  );
  for (const { name, fields } of file_tinker.messages)
    expect(official[name]).toMatchObject(
      Object.fromEntries(fields.map(({ name, number }) => [name, number])),
    );
});

test("a client waits for the adapter of a killed client", async () => {
  await using first = await connect();
  const script = join(import.meta.dirname, "hold-adapter.ts");
  const args = [script, server.url, server.model];
  const killed = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  const reasons: string[] = [];
  await using second = await connect({
    adapterTimeout: 100_000,
    onWait: (reason) => void reasons.push(reason),
  });
  expect(reasons).toEqual([expect.stringContaining("Maximum number of LoRA adapters (3) reached")]);
  expect(await sftStep(second)).toBeCloseTo(await sftStep(first), 4);
});

test("a run survives a killed server from its last checkpoint", async () => {
  const path = join(folder, "before-kill");
  await using backend = await connect({ retries: 0 });
  await sftStep(backend);
  await backend.saveState(path);
  const expected = await logprobsOf(backend);
  await server.kill();
  await expect(sftStep(backend)).rejects.toThrow("Check that the service is running");
  await server.startProcess();
  await expect(sftStep(backend)).rejects.toThrow("Resume from that checkpoint");
  await using later = await connect();
  await later.loadState(path);
  for (const [index, value] of (await logprobsOf(later)).entries())
    expect(value).toBeCloseTo(expected[index]!, 4);
});
