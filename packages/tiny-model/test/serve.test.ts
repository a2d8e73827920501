import { defineEnvironment, rollouts, userMessage } from "@envs/core";
import { openai } from "@envs/models";
import { chatServer } from "@envs/models/server";
import { expect, onTestFinished, test } from "vitest";

import { chatModel } from "../src/sampling/chat-model.ts";
import { smallCheckpoint } from "./small-model.ts";
import { startSmall } from "./start-small.ts";

const never = new AbortController().signal;

async function served() {
  const tiny = await startSmall({}, smallCheckpoint(96));
  const server = await chatServer(chatModel(tiny, { maxTokens: 9 }));
  onTestFinished(() => server.close());
  return { tiny, server };
}

async function complete(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "small", messages: [{ role: "user", content: "4" }], ...body }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

test("a chat server reports tokens and log-probabilities as vLLM does", async () => {
  const { tiny, server } = await served();
  const reply = await complete(server.url, { logprobs: true, return_token_ids: true, seed: 4 });
  const [completion] = await tiny.sample([
    {
      promptIds: tiny.renderer.prompt([userMessage("4")]),
      maxTokens: 9,
      temperature: 1,
      topP: 1,
      seed: 4,
    },
  ]);
  const { ids, logprobs, finish } = completion!;
  expect(reply).toMatchObject({
    status: 200,
    model: "small",
    prompt_token_ids: tiny.renderer.prompt([userMessage("4")]),
    choices: [
      {
        finish_reason: finish,
        message: { role: "assistant", content: tiny.renderer.text(ids) },
        token_ids: ids,
        logprobs: {
          content: ids.map((id, at) => ({ token: `token_id:${id}`, logprob: logprobs[at] })),
        },
      },
    ],
    usage: { completion_tokens: ids.length },
  });
});

test("rollouts over HTTP have the tokens and log-probabilities of the model", async () => {
  const { tiny, server } = await served();
  const model = openai("small", { baseURL: server.url, tokens: true, sendSeed: true });
  const guess = defineEnvironment({
    name: "guess",
    // prose-ignore: sample text
    description: "Say anything, twice.",
    dataset: () => [{ prompt: "4" }],
    respond: () => "5",
    episode: { maxTurns: 2 },
    rubric: { length: ({ completion }) => completion.length },
  });
  let played = 0;
  for await (const rollout of rollouts(guess(), { model, seed: 2, rolloutsPerExample: 6 })) {
    played += 1;
    expect(rollout.status).toBe("scored");
    for (const { tokens } of rollout.trajectory) {
      const { promptIds, completionIds, completionLogprobs } = tokens!;
      const ids = [...promptIds, ...completionIds];
      const [output] = await tiny.forward([
        {
          inputs: Int32Array.from(ids.slice(0, -1)),
          targets: Int32Array.from(ids.slice(1)),
          weights: new Float32Array(ids.length - 1).fill(1),
        },
      ]);
      const logprobs = output!.logprobs.subarray(promptIds.length - 1);
      for (const [at, logprob] of completionLogprobs.entries())
        expect(logprobs[at]).toBeCloseTo(logprob, 4);
    }
  }
  expect(played).toBe(6);
});

test("replies depend on the seed, and differ without one", async () => {
  const { server } = await served();
  const model = openai("small", { baseURL: server.url });
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => model({ messages: [userMessage("4")], signal: never })),
  );
  expect(new Set(replies.map(({ message }) => message.content)).size).toBeGreaterThan(1);
  const seeded = await Promise.all([1, 1].map((seed) => complete(server.url, { seed })));
  expect(seeded[0]!["choices"]).toEqual(seeded[1]!["choices"]);
});

test("a conversation beyond the context returns 400 and is an overflow", async () => {
  const { server } = await served();
  const messages = [userMessage("4 | 5 | X ".repeat(60))];
  expect(await complete(server.url, { messages })).toMatchObject({
    status: 400,
    error: { code: "context_length_exceeded" },
  });
  const reply = openai("small", { baseURL: server.url })({ messages, signal: never });
  await expect(reply).rejects.toMatchObject({ code: "model", isOverflow: true });
});

test("replies end before the stop texts of a request", async () => {
  const { server } = await served();
  const body = { seed: 2, max_tokens: 30, temperature: 0.9 };
  type Choices = { finish_reason: string; message: { content: string } }[];
  const choiceOf = async (request: object) =>
    ((await complete(server.url, request))["choices"] as Choices)[0]!;
  const { content } = (await choiceOf(body)).message;
  const stop = content.slice(1, 3);
  expect(await choiceOf({ ...body, stop })).toMatchObject({
    finish_reason: "stop",
    message: { content: content.slice(0, content.indexOf(stop)) },
  });
});
