import { user } from "@envs/core";
import { modelServer } from "@envs/core/testing";
import { expect, test } from "vitest";

import { loadModel } from "../../src/models/load-model.ts";

const options = { endpoints: {}, concurrency: 1 };
const { signal } = new AbortController();

test("tiny:base is a language model that is there, and says which tokens it sampled", async () => {
  const { model, close } = await loadModel("tiny:base", options);
  const { message, tokens } = await model({
    messages: [user("It is your turn.")],
    sampling: { temperature: 0, maxTokens: 12 },
    signal,
  });
  await close();
  expect(message.content).not.toBe("");
  expect(tokens?.completionIds).toHaveLength(tokens!.completionLogprobs.length);
});

test("with a server's address, tiny:base is the server's name for a model", async () => {
  const server = await modelServer({ name: "tiny:base", answer: () => "from the server" });
  const { model } = await loadModel("tiny:base", { ...options, baseURL: server.url });
  const { message } = await model({ messages: [user("Hello.")], signal });
  await server.close();
  expect(message.content).toBe("from the server");
});

test("a tiny model that is not there is told with what there could be", async () => {
  await expect(loadModel("tiny:chess", options)).rejects.toThrow(
    'There is no tiny model "chess". Name a checkpoint (tiny:model.safetensors), the folder of a training run, or install its package (pnpm add @envs/tiny-chess).',
  );
});
