import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { tinkerBackend, tinyBackend } from "../../src/index.ts";
import { ServiceClient } from "../../src/tinker/service-client.ts";
import { TrainingClient } from "../../src/tinker/training-client.ts";
import { sftBatch, sftExample } from "../../src/train/sft-example.ts";
import { letterRequests, letterChats, startTinyModel } from "./letter-environment.ts";
import { startPair } from "./start-pair.ts";
import { type Fault, TinkerServer } from "./tinker-server.ts";

const adam = {
  learningRate: 0.05,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
};
const crossEntropy = { name: "cross_entropy" } as const;

test.for<[string, Fault]>([
  ["is busy", { route: "forward_backward", status: 429, headers: { "retry-after": "0" } }],
  ["is unavailable", { route: "forward_backward", status: 503 }],
  ["closes the connection", { route: "forward_backward", closesConnection: true }],
  [
    "loses the response of a completed operation",
    { route: "forward_backward", performsOperation: true, closesConnection: true },
  ],
  [
    "fails after a completed operation",
    { route: "optim_step", performsOperation: true, status: 500 },
  ],
  ["closes the connection of a poll", { route: "retrieve_future", closesConnection: true }],
  ["is unavailable for a poll", { route: "retrieve_future", status: 502, body: "bad gateway" }],
  ["asks to try again", { route: "retrieve_future", body: { type: "try_again", request_id: "1" } }],
])(
  "the backend retries when a service %s, and the operation is performed once",
  async ([, fault]) => {
    await using pair = await startPair();
    const { local, localModel, remote, servedModel, server } = pair;
    const data = sftBatch(letterChats.map((chat) => sftExample(chat, local.renderer)));
    server.faults.push(fault);
    for (const backend of [local, remote]) {
      await backend.forwardBackward(data, crossEntropy);
      await backend.optimStep(adam);
    }
    expect(server.faults).toEqual([]);
    const [expected, weights] = await Promise.all([
      localModel.checkpoint(),
      servedModel.checkpoint(),
    ]);
    expect(weights.state).toEqual(expected.state);
  },
);

test("saveState() and sample() save under another name after a lost response", async () => {
  await using pair = await startPair();
  const { remote, server } = pair;
  server.faults.push({ route: "save_weights", performsOperation: true, status: 409 });
  server.faults.push({ route: "save_weights_for_sampler", performsOperation: true, status: 409 });
  expect(await remote.sample(letterRequests(remote))).toHaveLength(3);
  await remote.saveState("/dev/null/impossible").catch(() => undefined);
  expect(server.routes.filter((route) => route === "save_weights")).toHaveLength(2);
});

test("sample() polls until the result is available", async () => {
  await using pair = await startPair({ pending: 4 });
  const requests = letterRequests(pair.local);
  expect(await pair.remote.sample(requests)).toEqual(await pair.local.sample(requests));
});

test("optimStep() rejects after the timeout", async () => {
  await using pair = await startPair({ pending: 0 }, { timeout: 250 });
  pair.server.operations.block();
  await expect(pair.remote.optimStep(adam)).rejects.toThrow(
    "did not finish optim_step within 0.25 s; it may be overloaded. Raise timeout",
  );
});

test("optimStep() rejects when the service stays busy", async () => {
  await using pair = await startPair({}, { retries: 1 });
  const busy = { route: "optim_step", status: 429, headers: { "retry-after": "0" } } as const;
  pair.server.faults.push(busy, busy);
  await expect(pair.remote.optimStep(adam)).rejects.toThrow(
    "status 429 (Injected fault). It is still busy after all retries. Lower concurrency, or try again later.",
  );
});

test("errors contain the service's own message", async () => {
  await using pair = await startPair();
  const { remote, server } = pair;
  server.faults.push({
    route: "optim_step",
    status: 422,
    body: { detail: [{ msg: "too large" }] },
  });
  await expect(remote.optimStep(adam)).rejects.toThrow(
    'responded to optim_step with status 422 ([{"msg":"too large"}]).',
  );
  server.faults.push({ route: "retrieve_future", status: 400, body: { detail: "out of memory" } });
  await expect(remote.optimStep(adam)).rejects.toThrow(
    "The service failed at optim_step: out of memory",
  );
  const failure = { error: "no capacity", category: "server" };
  server.faults.push({ route: "retrieve_future", body: failure });
  await expect(remote.optimStep(adam)).rejects.toThrow("failed at optim_step: no capacity");
});

test.for<[string, Fault, string]>([
  ["malformed JSON", { route: "retrieve_future", body: '{"logprobs": NaN}' }, "but valid JSON was"],
  [
    "HTML",
    { route: "optim_step", body: "<html>Log in", headers: { "content-type": "text/html" } },
    "with 12 bytes of text/html (<html>Log in), but valid JSON was expected. Check that baseURL",
  ],
  [
    "unexpected protobuf",
    { route: "optim_step", body: "abc", headers: { "content-type": "application/x-protobuf" } },
    "3 bytes of application/x-protobuf",
  ],
])("a response with %s ends the run", async ([, fault, message]) => {
  await using pair = await startPair();
  pair.server.faults.push(fault);
  const error = await pair.remote.optimStep(adam).catch((error: unknown) => error);
  expect(error).toMatchObject({ isFatal: true, message: expect.stringContaining(message) });
});

test("tinkerBackend() waits for an adapter that another client uses", async () => {
  await using pair = await startPair({ adapters: 1 });
  const { server, local, remote } = pair;
  const reasons: string[] = [];
  const waiting = tinkerBackend({
    baseURL: server.url,
    baseModel: "tiny",
    renderer: local.renderer,
    adapterTimeout: 4000,
    onWait: (reason) => void reasons.push(reason),
  });
  await expect.poll(() => reasons, { timeout: 120_000 }).toHaveLength(1);
  expect(reasons[0]).toContain("Maximum number of LoRA adapters (1) reached). Waiting up to 4 s");
  await remote.close();
  const later = await waiting;
  await expect(later.optimStep(adam)).resolves.toBeDefined();
  await later.close();
});

test("tinkerBackend() rejects when no adapter becomes free", async () => {
  await using pair = await startPair({ adapters: 1 });
  const { server, local } = pair;
  const start = { baseURL: server.url, baseModel: "tiny", renderer: local.renderer };
  await expect(tinkerBackend({ ...start, adapterTimeout: 0 })).rejects.toThrow(
    "(Maximum number of LoRA adapters (1) reached). Close the other clients, raise max_lora_adapters",
  );
});

test("tinkerBackend() names the limit of a service that rejects the rank", async () => {
  await using pair = await startPair();
  const { server, local } = pair;
  server.alterResult = () => {
    throw new Error("LoRA rank 32 must be between 1 and 16");
  };
  const start = { baseURL: server.url, baseModel: "tiny", renderer: local.renderer };
  await expect(tinkerBackend(start)).rejects.toThrow(
    "rejects an adapter of rank 32 (LoRA rank 32 must be between 1 and 16). Change loraRank",
  );
});

test("check() rejects a loss that the service rejects, before any operation", async () => {
  for (const protobuf of [false, true]) {
    const acceptedLosses = ["cross_entropy", "importance_sampling"];
    await using pair = await startPair({ acceptedLosses, protobuf });
    const check = (name: "cispo" | "importance_sampling") =>
      pair.remote.check?.({ loss: { name }, temperature: 1 });
    await expect(check("cispo")).rejects.toThrow(
      "rejects the loss cispo (loss_fn: Input should be one of cross_entropy, importance_sampling)",
    );
    await expect(check("importance_sampling")).resolves.toBeUndefined();
    await pair.remote.loadState("tinker://model_1/weights/none").catch(() => undefined);
    // The model is unused, so a checkpoint could still be loaded into it.
    expect(pair.server.routes).not.toContain("unload_model");
  }
});

test("sample() reopens a lost sampling session", async () => {
  await using pair = await startPair();
  const { remote, server } = pair;
  const requests = letterRequests(remote);
  const before = await remote.sample(requests);
  server.operations.loseSamplers();
  expect(await remote.sample(requests)).toEqual(before);
  const publications = (): number =>
    server.routes.filter((route) => route === "save_weights_for_sampler").length;
  expect(publications()).toBe(2);
  const detail = "Sampling session not found";
  server.faults.push({ route: "retrieve_future", status: 400, body: { detail } });
  expect(await remote.sample(requests)).toEqual(before);
  expect(publications()).toBe(3);
});

test("a lost model is reported with advice to resume from the last checkpoint", async () => {
  await using pair = await startPair();
  pair.server.operations.loseModel();
  const message = "All training since the last checkpoint is lost. Resume from that checkpoint.";
  await expect(pair.remote.optimStep(adam)).rejects.toThrow(message);
  await expect(pair.remote.sample(letterRequests(pair.remote))).rejects.toThrow(message);
  const stale = { detail: "Model model_1 not loaded (likely stale request from previous server)" };
  pair.server.faults.push({ route: "optim_step", body: { request_id: "0" } });
  pair.server.faults.push({ route: "retrieve_future", status: 400, body: stale });
  await expect(pair.remote.optimStep(adam)).rejects.toThrow(message);
});

test("log-probabilities that do not match the tokens are rejected", async () => {
  await using pair = await startPair();
  const { remote, server } = pair;
  const data = sftBatch(letterChats.map((chat) => sftExample(chat, remote.renderer)));
  server.alterResult = (result) =>
    "loss_fn_outputs" in result
      ? { loss_fn_outputs: [{ logprobs: { data: [-1] } }, { logprobs: { data: [] } }] }
      : { sequences: [{ tokens: [3, 4], logprobs: [-1], stop_reason: "length" }] };
  await expect(remote.forwardBackward(data, crossEntropy)).rejects.toThrow(
    "received 3 sequences but returned 2. Sequence 1 has",
  );
  server.alterResult = (result) =>
    "sequences" in result ? { sequences: alteredSequences } : result;
  let alteredSequences: object[] = [{ tokens: [3, 4], logprobs: [-1], stop_reason: "length" }];
  const sample = (): Promise<unknown> => remote.sample(letterRequests(remote).slice(0, 1));
  await expect(sample()).rejects.toThrow("sampled 2 tokens but sent 1 log-probabilities");
  alteredSequences = [{ tokens: [3, 4], stop_reason: "length" }];
  await expect(sample()).rejects.toThrow("sampled 2 tokens but sent no log-probabilities");
  alteredSequences = [{ tokens: [], logprobs: [], stop_reason: "length" }];
  await expect(sample()).rejects.toThrow("sampled 0 tokens, but the request was for 1 to 6");
  alteredSequences = [{ tokens: [30], logprobs: [-1], stop_reason: "stop" }];
  await expect(sample()).rejects.toThrow("stopped after token 30, which is not among the renderer");
  alteredSequences = [];
  await expect(sample()).rejects.toThrow("Unexpected response of the service to asample");
});

test("sample() rejects when its signal is aborted", async () => {
  await using pair = await startPair();
  pair.server.operations.block();
  const stop = new AbortController();
  const sampling = pair.remote.sample(letterRequests(pair.remote), stop.signal);
  stop.abort(new Error("enough"));
  await expect(sampling).rejects.toThrow("enough");
});

test("the backend's signal aborts all operations", async () => {
  const stop = new AbortController();
  await using pair = await startPair({}, { signal: stop.signal });
  pair.server.operations.block();
  const steps = pair.remote.optimStep(adam);
  const samples = pair.remote.sample(letterRequests(pair.remote));
  stop.abort(new Error("enough"));
  await expect(steps).rejects.toThrow("enough");
  await expect(samples).rejects.toThrow("enough");
});

test("tinkerBackend() rejects a wrong key, address or model", async () => {
  await using pair = await startPair({ apiKey: "right" }, { apiKey: "right" });
  const { server, local } = pair;
  const start = { baseURL: server.url, baseModel: "tiny", renderer: local.renderer };
  await expect(tinkerBackend({ ...start, apiKey: "wrong" })).rejects.toThrow(
    "rejected the API key (Invalid API key). Check apiKey",
  );
  await expect(tinkerBackend({ ...start, apiKey: "right", baseModel: "huge" })).rejects.toThrow(
    "does not offer the model huge. It offers tiny.",
  );
  await expect(tinkerBackend({ ...start, baseURL: `${server.url}/v2` })).rejects.toThrow(
    /rejected|not a Tinker-compatible/u,
  );
  await expect(
    tinkerBackend({ ...start, baseURL: "http://127.0.0.1:1", retries: 8 }),
  ).rejects.toThrow("Check that the service is running and that baseURL is right.");
});

test("tinkerBackend() rejects an unknown or excessive context length", async () => {
  await expect(startPair({ contextLength: null })).rejects.toThrow("Pass contextLength");
  await using pair = await startPair({ contextLength: null }, { contextLength: 64 });
  expect(pair.remote.contextLength).toBe(64);
  await expect(startPair({ contextLength: 64 }, { contextLength: 65 })).rejects.toThrow(
    "contextLength is 65, but the maximum of tiny",
  );
});

test("the training client sends heartbeats until it is closed", async () => {
  await using server = await TinkerServer.start(tinyBackend(await startTinyModel()));
  const closing = new AbortController();
  const { signal } = closing;
  const service = new ServiceClient({ baseURL: server.url, retries: 0, signal });
  const model = { baseModel: "tiny", loraRank: 1, seed: 0, timeoutMs: 1000, adapterTimeoutMs: 0 };
  const options = { ...model, closing, signal };
  const client = await TrainingClient.open(service, { ...options, heartbeatMs: 5 });
  const heartbeats = (): number =>
    server.routes.filter((route) => route === "session_heartbeat").length;
  // The first precedes the model: SkyRL never expires a session without heartbeats.
  expect(server.routes.slice(0, 2)).toEqual(["create_session", "session_heartbeat"]);
  await expect.poll(heartbeats).toBeGreaterThan(2);
  await client.close();
  const last = heartbeats();
  await sleep(30);
  expect(heartbeats()).toBe(last);
});
