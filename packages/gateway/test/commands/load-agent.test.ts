import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defineEnvironment, rollout } from "@envs/core";
import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished, test } from "vitest";

import { loadModel } from "../../../cli/src/models/load-model.ts";
import { upstream } from "../support/upstream.ts";

const options = { endpoints: {}, concurrency: 1 };
const question = defineEnvironment({
  name: "question",
  dataset: () => [{ prompt: "Name a colour." }],
  rubric: { red: ({ completion }) => completion[0]?.content === "RED" },
});

/** A module whose default export is an agent that asks its model over HTTP. */
async function agentFile(
  code = `export default async ({ baseURL, messages }) => {
  const body = JSON.stringify({ model: "any", messages });
  const response = await fetch(baseURL + "/chat/completions", { method: "POST", body });
  return (await response.json()).choices[0].message.content.toUpperCase();
};`,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "agent@"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "agent.mjs");
  await writeFile(file, code);
  return file;
}

test("loads an agent with the model that it asks", async () => {
  const server = await modelServer({ name: "small", answer: () => "red" });
  onTestFinished(server.close);
  const name = `agent:${await agentFile()}@small`;
  const { model, baseURL } = await loadModel(name, { ...options, baseURL: server.url });
  expect(baseURL).toBe(server.url);
  const result = await rollout(question(), { prompt: "Name a colour." }, { model });
  expect(result).toMatchObject({ status: "scored", reward: 1 });
  expect(result.trajectory[0]?.calls).toMatchObject([{ message: { content: "red" } }]);
});

test("has the price of the model that the agent asks", async () => {
  const price = { input: 1, output: 3 };
  const endpoints = { small: { model: "gpt-5-mini", price } };
  const loaded = await loadModel(`agent:${await agentFile()}@small`, { ...options, endpoints });
  expect(loaded.price).toMatchObject(price);
});

test.each([["that does not exist", "agent:./missing.ts@gpt-5", "There is no file ./missing.ts"]])(
  "rejects a module %s",
  async (_, name, message) => {
    await expect(loadModel(name, options)).rejects.toThrow(message);
  },
);

test("rejects a module that throws, and one without an agent", async () => {
  const broken = await agentFile('throw new Error("No key.");');
  await expect(loadModel(`agent:${broken}`, options)).rejects.toThrow("No key.");
  const other = await agentFile("export default 3;");
  await expect(loadModel(`agent:${other}`, options)).rejects.toThrow("is not an agent");
});

test("rejects an agent without a model before the first rollout", async () => {
  const { model } = await loadModel(`agent:${await agentFile()}`, options);
  await expect(rollout(question(), { prompt: "Name a colour." }, { model })).rejects.toThrow(
    "has no model",
  );
});

const twoModels = `export default async ({ baseURL, messages, model }) => {
  const ask = async (name) => {
    const body = JSON.stringify({ model: name, messages });
    const response = await fetch(baseURL + "/chat/completions", { method: "POST", body });
    return (await response.json()).choices[0].message.content;
  };
  return (await ask("worker")) + (await ask(model));
};`;

test("loads an agent with a map of the names that it asks for", async () => {
  const { origin } = await upstream((response, { model }) => {
    const message = { content: model === "small" ? "R" : "ED" };
    response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
  });
  const name = `agent:${await agentFile(twoModels)}@planner=big,worker=small`;
  const loaded = await loadModel(name, { ...options, baseURL: `${origin}/v1` });
  expect(loaded.model.id).toMatch(/with big, worker=small$/u);
  const played = await rollout(question(), { prompt: "A colour?" }, { model: loaded.model });
  expect(played).toMatchObject({ status: "scored", reward: 1 });
  expect(played.trajectory[0]?.calls).toMatchObject([
    { requestedModel: "worker", isHelper: true },
    { requestedModel: "planner" },
  ]);
});

test("has the helpers of an endpoint, each with its own price", async () => {
  const [high, low] = [
    { input: 10, output: 30 },
    { input: 1, output: 3 },
  ];
  const endpoints = {
    planner: { model: "big", price: high, helpers: { worker: "cheap" } },
    cheap: { model: "small", price: low, helpers: { planner: "planner" } },
  };
  const loaded = await loadModel(`agent:${await agentFile(twoModels)}@planner`, {
    ...options,
    endpoints,
  });
  expect(loaded.price).toMatchObject(high);
  expect(loaded.helpers?.["worker"]?.price).toMatchObject(low);
  expect(Object.keys(loaded.helpers ?? {})).toEqual(["worker"]);
});

test("rejects a name that has two models", async () => {
  const name = `agent:${await agentFile(twoModels)}@worker=big,worker=small`;
  await expect(loadModel(name, options)).rejects.toThrow("two models worker");
});
