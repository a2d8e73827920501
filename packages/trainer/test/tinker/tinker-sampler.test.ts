import { expect, test } from "vitest";

import { type Backend, tinkerSampler } from "../../src/index.ts";
import { letterRequests, sampledData } from "./letter-environment.ts";
import { startPair } from "./start-pair.ts";

async function publishedPath(backend: Backend): Promise<string> {
  const weights = await backend.samplingWeights!();
  if ("checkpoint" in weights) throw new Error("These are not weights of a service.");
  return weights.path;
}

test("another client samples from published weights without an adapter", async () => {
  await using pair = await startPair({ adapters: 1 });
  const { remote, server } = pair;
  const { renderer, contextLength } = remote;
  const options = { baseURL: server.url, baseModel: "tiny", renderer, contextLength };
  const before = await publishedPath(remote);
  expect(await publishedPath(remote)).toBe(before);

  await remote.forwardBackward(await sampledData(remote), { name: "importance_sampling" });
  await remote.optimStep({
    learningRate: 0.05,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    clipNorm: 1,
  });
  const path = await publishedPath(remote);
  expect(path).not.toBe(before);
  const sampler = await tinkerSampler({ ...options, path });
  const requests = letterRequests(remote);
  expect(await sampler.sample(requests)).toEqual(await remote.sample(requests));
  await sampler.close();
  await expect(sampler.sample(requests)).rejects.toThrow("The sampler was closed.");
  expect(server.routes.filter((route) => route === "create_model")).toHaveLength(1);

  const stale = await tinkerSampler({ ...options, path: before });
  await expect(stale.sample(requests)).rejects.toThrow("The sampler has old weights");
  await stale.close();
});
