import { defineEnvironment } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished } from "vitest";

import { serve, serveMcp } from "../src/index.ts";
import { test } from "./support/test-server.ts";

/** Repeats what the sub-model says of a reply. Its script would answer as well, without a model. */
const recursive = defineEnvironment({
  name: "recursive",
  dataset: () => [{ prompt: "Write." }],
  subModel: { maxCalls: 1, policy: () => "scripted" },
  respond: async ({ reply, subModel }) => (await subModel(`About ${reply}`)).text,
  episode: { maxTurns: 2 },
  rubric: { one: () => 1 },
  policies: { best: () => "x" },
});

test("a server asks its sub-model over HTTP", async ({ startServer }) => {
  const model = await modelServer({ name: "small", answer: () => "A word." });
  onTestFinished(() => model.close());
  const subModel = openai("small", { baseURL: model.url });
  const server = await startServer([recursive()], { subModel });
  const socket = await server.openSocket();
  await socket.reset();
  const step = await socket.step({ text: "Paris" });
  expect(JSON.stringify(step?.data)).toContain("A word.");
  expect(model.requests).toBe(1);
});

test("a server does not start without the sub-model that an environment asks", async () => {
  const starting = serve([recursive()], { port: 0 });
  await expect(starting).rejects.toSatisfy(isConfigError);
  await expect(starting).rejects.toThrow(/recursive asks a sub-model.*--sub-model/u);
  const mcp = serveMcp(recursive(), { transport: { port: 0 }, log: () => undefined });
  await expect(mcp).rejects.toSatisfy(isConfigError);
});
