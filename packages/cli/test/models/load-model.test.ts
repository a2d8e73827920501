import { user } from "@envs/core";
import { modelServer } from "@envs/core/testing";
import { expect, test } from "vitest";

import { loadModel } from "../../src/models/load-model.ts";

const options = { endpoints: {}, concurrency: 1 };
const { signal } = new AbortController();

test("loads tiny:base, which returns the tokens that it sampled", async () => {
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

test("sends tiny:base to the server as the model's name if there is a base URL", async () => {
  const server = await modelServer({ name: "tiny:base", answer: () => "from the server" });
  const { model } = await loadModel("tiny:base", { ...options, baseURL: server.url });
  const { message } = await model({ messages: [user("Hello.")], signal });
  await server.close();
  expect(message.content).toBe("from the server");
});

test("reports the alternatives if a tiny model does not exist", async () => {
  await expect(loadModel("tiny:chess", options)).rejects.toThrow(
    'No tiny model named "chess" was found.',
  );
});
