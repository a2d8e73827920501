import { userMessage } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { startGateway } from "@envs/gateway";
import { modelServer } from "@envs/models/testing";
import { expect, test } from "vitest";

import { loadModel } from "../../src/models/load-model.ts";

const options = { endpoints: {}, concurrency: 1 };
const { signal } = new AbortController();

test("loads tiny:base, which returns the tokens that it sampled", async () => {
  const { model, close } = await loadModel("tiny:base", options);
  const { message, tokens } = await model({
    messages: [userMessage("It is your turn.")],
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
  const { message } = await model({ messages: [userMessage("Hello.")], signal });
  await server.close();
  expect(message.content).toBe("from the server");
});

test.each(["chat", "responses", "messages", "gemini"] as const)(
  "asks an endpoint of the dialect %s",
  async (dialect) => {
    await using gateway = await startGateway();
    const { origin, baseURL, calls } = gateway.open({ model: scriptedModel("From the server.") });
    const isOpenAI = dialect === "chat" || dialect === "responses";
    const own = { model: "real", dialect, baseURL: isOpenAI ? baseURL : origin };
    const { model } = await loadModel("mine", { ...options, endpoints: { mine: own } });
    const { message } = await model({ messages: [userMessage("Hello.")], signal });
    expect(message.content).toBe("From the server.");
    expect(calls).toMatchObject([{ dialect, requestedModel: "real" }]);
  },
);

test("rejects options that a dialect does not have", async () => {
  const own = { model: "real", dialect: "messages", baseURL: "http://localhost:9", tokens: true };
  const endpoints = { mine: { ...own, dialect: "messages" as const } };
  await expect(loadModel("mine", { ...options, endpoints })).rejects.toThrow(
    "The endpoint of real cannot have tokens: the dialect messages has no such option.",
  );
});

test("reports the alternatives if a tiny model does not exist", async () => {
  await expect(loadModel("tiny:chess", options)).rejects.toThrow(
    'No tiny model named "chess" was found.',
  );
});
