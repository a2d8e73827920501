import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Model, type RolloutError, userMessage } from "@envs/core";
import { aiSdk, openai } from "@envs/models";
import { describe, expect, test } from "vitest";

import { completion, type Outcome, type ProviderBehaviour, send } from "./providers/behaviour.ts";
import { httpBehaviours } from "./providers/http-behaviours.ts";
import { mediaBehaviours } from "./providers/media-behaviours.ts";
import { replyBehaviours } from "./providers/reply-behaviours.ts";

/** Each behaviour with the title of its test. */
const cases = [...replyBehaviours, ...httpBehaviours, ...mediaBehaviours].map(
  (behaviour) => [`${behaviour.effect}, if ${behaviour.behaviour}`, behaviour] as const,
);

/** A server that has the behaviour once, after `earlier` requests. */
async function serve({ respond, earlier = 0 }: ProviderBehaviour) {
  let requests = 0;
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      requests += 1;
      if (requests === earlier + 1) void respond(response, request.url ?? "", body);
      else send(response, completion());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    get requests() {
      return requests - earlier;
    },
    baseURL: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

type CreateModel = (baseURL: string, retries: number) => Model;

async function ask(behaviour: ProviderBehaviour, create: CreateModel, retries: number) {
  await using server = await serve(behaviour);
  const model = create(server.baseURL, retries);
  const request = {
    messages: behaviour.messages ?? [userMessage("Hi.")],
    signal: new AbortController().signal,
  };
  for (let count = 0; count < (behaviour.earlier ?? 0); count += 1) await model(request);
  const result = await model(request).catch((error: unknown) => error as RolloutError);
  return { result, requests: server.requests };
}

async function check(behaviour: ProviderBehaviour, outcome: Outcome, create: CreateModel) {
  if ("reply" in outcome) {
    const { result, requests } = await ask(behaviour, create, 0);
    expect(result).toMatchObject(outcome.reply);
    expect(requests).toBe(outcome.requests ?? 1);
    return;
  }
  if ("retried" in outcome) {
    const { result } = await ask(behaviour, create, 0);
    expect(result).toMatchObject({ code: "model", isFatal: false, isOverflow: false });
    expect((result as RolloutError).message).toContain(outcome.retried);
    const retried = await ask(behaviour, create, 1);
    expect(retried.result).toMatchObject({ message: { content: "hello" } });
    expect(retried.requests).toBe(2);
    return;
  }
  const { fails, isFatal = false, isOverflow = false } = outcome;
  const { result, requests } = await ask(behaviour, create, 3);
  expect(result).toMatchObject({ code: "model", isFatal, isOverflow });
  expect((result as RolloutError).message).toContain(fails);
  expect((result as RolloutError).message.length).toBeLessThan(700);
  expect(requests).toBe(1);
}

describe.concurrent("openai()", () => {
  test.for(cases)("%s", async ([, behaviour]) => {
    await check(behaviour, behaviour.outcome, (baseURL, retries) =>
      openai("small", { baseURL, retries, apiKey: "sk-0123456789", ...behaviour.options }),
    );
  });
});

describe.concurrent("aiSdk()", () => {
  const decided = cases.filter(([, { aiSdk: outcome }]) => outcome !== undefined);
  test.for(decided)("%s", async ([, behaviour]) => {
    await check(behaviour, behaviour.aiSdk!, (baseURL, retries) =>
      aiSdk(createOpenAICompatible({ name: "local", baseURL })("small"), { retries }),
    );
  });
});
