import { expect, test } from "vitest";

import { tinkerBackend, tinyBackend } from "../../src/index.ts";
import { sftBatch, sftExample } from "../../src/train/sft-example.ts";
import { askForLetters, lessons, startTiny } from "./letters.ts";
import { startPair } from "./pair.ts";
import type { Fault } from "./tinker-server.ts";

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
  ["has a bad moment", { route: "forward_backward", status: 503 }],
  ["breaks the connection", { route: "forward_backward", isCut: true }],
  ["loses the answer to what it did", { route: "forward_backward", isDone: true, isCut: true }],
  ["fails after what it did", { route: "optim_step", isDone: true, status: 500 }],
  ["breaks off while we wait", { route: "retrieve_future", isCut: true }],
  [
    "has a bad moment while we wait",
    { route: "retrieve_future", status: 502, body: "bad gateway" },
  ],
  ["says to try again", { route: "retrieve_future", body: { type: "try_again", request_id: "1" } }],
])("a service that %s is asked again, and learns once", async ([, fault]) => {
  await using both = await startPair();
  const { local, localModel, remote, servedModel, server } = both;
  const data = sftBatch(lessons.map((lesson) => sftExample(lesson, local.renderer)));
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
});

test("saves whose answer got lost are done again under another name", async () => {
  await using both = await startPair();
  const { remote, server } = both;
  server.faults.push({ route: "save_weights", isDone: true, status: 409 });
  server.faults.push({ route: "save_weights_for_sampler", isDone: true, status: 409 });
  expect(await remote.sample(askForLetters(remote))).toHaveLength(3);
  await remote.saveState("/dev/null/impossible").catch(() => undefined);
  expect(server.asked.filter((route) => route === "save_weights")).toHaveLength(2);
});

test("results may take many rounds", async () => {
  await using both = await startPair({ pending: 4 });
  const requests = askForLetters(both.local);
  expect(await both.remote.sample(requests)).toEqual(await both.local.sample(requests));
});

test("a result that never comes is given up, with advice", async () => {
  await using both = await startPair({ pending: 0 }, { timeout: 250 });
  both.server.work.hold();
  await expect(both.remote.optimStep(adam)).rejects.toThrow(
    "has not done optim_step within 0.25 s. Is it overloaded, or out of capacity? Raise timeout",
  );
});

test("a service that stays busy is given up, with advice", async () => {
  await using both = await startPair({}, { retries: 1 });
  const busy = { route: "optim_step", status: 429, headers: { "retry-after": "0" } } as const;
  both.server.faults.push(busy, busy);
  await expect(both.remote.optimStep(adam)).rejects.toThrow(
    "status 429 (It hurts). It is still busy after all retries: lower concurrency, or try later.",
  );
});

test("what the service says of a failure is passed on", async () => {
  await using both = await startPair();
  const { remote, server } = both;
  server.faults.push({
    route: "optim_step",
    status: 422,
    body: { detail: [{ msg: "too large" }] },
  });
  await expect(remote.optimStep(adam)).rejects.toThrow(
    'answered optim_step with status 422 ([{"msg":"too large"}]).',
  );
  server.faults.push({ route: "retrieve_future", status: 400, body: { detail: "out of memory" } });
  await expect(remote.optimStep(adam)).rejects.toThrow(
    "The service failed at optim_step: out of memory",
  );
  const told = { error: "no capacity", category: "server" };
  server.faults.push({ route: "retrieve_future", body: told });
  await expect(remote.optimStep(adam)).rejects.toThrow("failed at optim_step: no capacity");
  server.faults.push({ route: "retrieve_future", body: '{"logprobs": NaN}' });
  await expect(remote.optimStep(adam)).rejects.toThrow("something that is not JSON");
});

test("a lost sampling session is opened again", async () => {
  await using both = await startPair();
  const { remote, server } = both;
  const requests = askForLetters(remote);
  const before = await remote.sample(requests);
  server.work.forgetSamplers();
  expect(await remote.sample(requests)).toEqual(before);
  const published = (): number =>
    server.asked.filter((route) => route === "save_weights_for_sampler").length;
  expect(published()).toBe(2);
  const detail = "Sampling session not found";
  server.faults.push({ route: "retrieve_future", status: 400, body: { detail } });
  expect(await remote.sample(requests)).toEqual(before);
  expect(published()).toBe(3);
});

test("a lost model ends the run and says where to go on", async () => {
  await using both = await startPair();
  both.server.work.forgetModel();
  const message = "What was learned since the last checkpoint is lost: start again from that";
  await expect(both.remote.optimStep(adam)).rejects.toThrow(message);
  await expect(both.remote.sample(askForLetters(both.remote))).rejects.toThrow(message);
  const stale = { detail: "Model model_1 not loaded (likely stale request from previous server)" };
  both.server.faults.push({ route: "optim_step", body: { request_id: "0" } });
  both.server.faults.push({ route: "retrieve_future", status: 400, body: stale });
  await expect(both.remote.optimStep(adam)).rejects.toThrow(message);
});

test("log-probabilities that do not belong to the tokens are refused", async () => {
  await using both = await startPair();
  const { remote, server } = both;
  const data = sftBatch(lessons.map((lesson) => sftExample(lesson, remote.renderer)));
  server.lie = (result) =>
    "loss_fn_outputs" in result
      ? { loss_fn_outputs: [{ logprobs: { data: [-1] } }, { logprobs: { data: [] } }] }
      : { sequences: [{ tokens: [3, 4], logprobs: [-1], stop_reason: "length" }] };
  await expect(remote.forwardBackward(data, crossEntropy)).rejects.toThrow(
    "read 3 sequences, but answered for 2; sequence 1 has",
  );
  server.lie = (result) => ("sequences" in result ? { sequences: lying } : result);
  let lying: object[] = [{ tokens: [3, 4], logprobs: [-1], stop_reason: "length" }];
  const sample = (): Promise<unknown> => remote.sample(askForLetters(remote).slice(0, 1));
  await expect(sample()).rejects.toThrow("sampled 2 tokens but sent 1 log-probabilities");
  lying = [{ tokens: [3, 4], stop_reason: "length" }];
  await expect(sample()).rejects.toThrow("sampled 2 tokens but sent no log-probabilities");
  lying = [{ tokens: [], logprobs: [], stop_reason: "length" }];
  await expect(sample()).rejects.toThrow("sampled 0 tokens where 1 to 6 were asked for");
  lying = [{ tokens: [30], logprobs: [-1], stop_reason: "stop" }];
  await expect(sample()).rejects.toThrow("stopped after token 30, which is not among the renderer");
  lying = [];
  await expect(sample()).rejects.toThrow("answered asample with something unexpected");
});

test("who samples may stop waiting", async () => {
  await using both = await startPair();
  both.server.work.hold();
  const stop = new AbortController();
  const sampling = both.remote.sample(askForLetters(both.remote), stop.signal);
  stop.abort(new Error("enough"));
  await expect(sampling).rejects.toThrow("enough");
});

test("the signal of the backend ends everything", async () => {
  const stop = new AbortController();
  await using both = await startPair({}, { signal: stop.signal });
  both.server.work.hold();
  const steps = both.remote.optimStep(adam);
  const samples = both.remote.sample(askForLetters(both.remote));
  stop.abort(new Error("enough"));
  await expect(steps).rejects.toThrow("enough");
  await expect(samples).rejects.toThrow("enough");
});

test("a wrong key, address or model is told before anything else", async () => {
  await using both = await startPair({ apiKey: "right" }, { apiKey: "right" });
  const { server, local } = both;
  const start = { baseURL: server.url, baseModel: "tiny", renderer: local.renderer };
  await expect(tinkerBackend({ ...start, apiKey: "wrong" })).rejects.toThrow(
    "refused the key (Invalid API key). Check apiKey",
  );
  await expect(tinkerBackend({ ...start, apiKey: "right", baseModel: "huge" })).rejects.toThrow(
    "does not offer the model huge. It offers tiny.",
  );
  await expect(tinkerBackend({ ...start, baseURL: `${server.url}/v2` })).rejects.toThrow(
    /refused|not a Tinker-compatible/u,
  );
  await expect(
    tinkerBackend({ ...start, baseURL: "http://127.0.0.1:1", retries: 8 }),
  ).rejects.toThrow("Is the service running, and is baseURL right?");
});

test("a context length must be known, and must not be more than the model has", async () => {
  await expect(startPair({ contextLength: null })).rejects.toThrow("Give contextLength");
  await using told = await startPair({ contextLength: null }, { contextLength: 64 });
  expect(told.remote.contextLength).toBe(64);
  await expect(startPair({ contextLength: 64 }, { contextLength: 65 })).rejects.toThrow(
    "contextLength is 65, but tiny reads 64 tokens at most",
  );
});

test("a backend that is held says so, and stops when it is closed", async () => {
  const [{ Client }, { Run }] = await Promise.all([
    import("../../src/tinker/client.ts"),
    import("../../src/tinker/run.ts"),
  ]);
  const { TinkerServer } = await import("./tinker-server.ts");
  await using server = await TinkerServer.start(tinyBackend(await startTiny()));
  const over = new AbortController();
  const { signal } = over;
  const client = new Client({ baseURL: server.url, apiKey: undefined, retries: 0, signal });
  const options = { baseModel: "tiny", loraRank: 1, seed: 0, timeout: 1000, over, signal };
  const run = await Run.start(client, { ...options, heartbeat: 5 });
  const beats = (): number => server.asked.filter((route) => route === "session_heartbeat").length;
  await expect.poll(beats).toBeGreaterThan(2);
  await run.end();
  const last = beats();
  await new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
  expect(beats()).toBe(last);
});
