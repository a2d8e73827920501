import { defineEnvironment, openai, rollouts, user } from "@envs/core";
import { chatServer } from "@envs/core/node";
import { expect, onTestFinished, test } from "vitest";

import { sequencesOf } from "../src/algorithms/trajectory.ts";
import { backendModel } from "../src/backend-model.ts";
import { small } from "./tiny/running.ts";
import { smallCheckpoint } from "./tiny/small.ts";

const never = new AbortController().signal;

async function served() {
  const backend = await small({}, smallCheckpoint(96));
  const model = backendModel(backend, { maxTokens: 9 });
  const server = await chatServer(model);
  onTestFinished(() => server.close());
  return { backend, server };
}

async function complete(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "small", messages: [{ role: "user", content: "4" }], ...body }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

test("over HTTP a tiny model tells tokens and log-probabilities as vLLM does", async () => {
  const { backend, server } = await served();
  const reply = await complete(server.url, { logprobs: true, return_token_ids: true, seed: 4 });
  const [completion] = await backend.sample([
    {
      promptIds: backend.renderer.prompt([user("4")]),
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
    prompt_token_ids: backend.renderer.prompt([user("4")]),
    choices: [
      {
        finish_reason: finish,
        message: { role: "assistant", content: backend.renderer.text(ids) },
        token_ids: ids,
        logprobs: {
          content: ids.map((id, at) => ({ token: `token_id:${id}`, logprob: logprobs[at] })),
        },
      },
    ],
    usage: { completion_tokens: ids.length },
  });
});

test("core's client reads them, so that rollouts over HTTP can be learned from", async () => {
  const { backend, server } = await served();
  const model = openai("small", { baseURL: server.url, tokens: true, sendSeed: true });
  const guess = defineEnvironment({
    name: "guess",
    description: "Say anything, twice.",
    maxTurns: 2,
    dataset: () => [{ prompt: "4" }],
    respond: () => "5",
    rubric: { turns: ({ completion }) => completion.length },
  });
  let played = 0;
  for await (const rollout of rollouts(guess(), { model, seed: 2, rolloutsPerExample: 6 })) {
    played += 1;
    expect(rollout.status).toBe("scored");
    for (const sequence of sequencesOf(rollout)) {
      const [forward] = await backend.forward([
        {
          inputs: Int32Array.from(sequence.ids.slice(0, -1)),
          targets: Int32Array.from(sequence.ids.slice(1)),
          weights: Float32Array.from(sequence.turns.slice(1), (turn) => (turn < 0 ? 0 : 1)),
        },
      ]);
      for (const [at, logprob] of sequence.logprobs.slice(1).entries())
        if (sequence.turns[at + 1]! >= 0) expect(forward!.logprobs[at]).toBeCloseTo(logprob, 4);
    }
  }
  expect(played).toBe(6);
});

test("replies differ where no seed is sent, and are the same where one is", async () => {
  const { server } = await served();
  const model = openai("small", { baseURL: server.url });
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => model({ messages: [user("4")], signal: never })),
  );
  expect(new Set(replies.map(({ message }) => message.content)).size).toBeGreaterThan(1);
  const seeded = await Promise.all([1, 1].map((seed) => complete(server.url, { seed })));
  expect(seeded[0]!["choices"]).toEqual(seeded[1]!["choices"]);
});

test("a conversation that does not fit is the caller's mistake, and known as an overflow", async () => {
  const { server } = await served();
  const messages = [user("4 | 5 | X ".repeat(60))];
  expect(await complete(server.url, { messages })).toMatchObject({
    status: 400,
    error: { code: "context_length_exceeded" },
  });
  const asked = openai("small", { baseURL: server.url })({ messages, signal: never });
  await expect(asked).rejects.toMatchObject({ code: "model", isOverflow: true });
});

test("replies end before the texts that a request names", async () => {
  const { server } = await served();
  const asked = { seed: 2, max_tokens: 30, temperature: 0.9 };
  type Choices = { finish_reason: string; message: { content: string } }[];
  const choiceOf = async (body: object) =>
    ((await complete(server.url, body))["choices"] as Choices)[0]!;
  const { content } = (await choiceOf(asked)).message;
  const stop = content.slice(1, 3);
  expect(await choiceOf({ ...asked, stop })).toMatchObject({
    finish_reason: "stop",
    message: { content: content.slice(0, content.indexOf(stop)) },
  });
});
