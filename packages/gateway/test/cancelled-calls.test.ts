import { setTimeout as sleep } from "node:timers/promises";

import { defineEnvironment, type Model, rollout } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { agent, startGateway } from "@envs/gateway";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { parseRow, toRow } from "@envs/records";
import { describe, expect, onTestFinished, test } from "vitest";

import { reader } from "./support/upstream.ts";

const long = "word ".repeat(400);

/** A model server that takes seconds for its stream. */
async function slowServer() {
  const server = await modelServer({
    name: "real",
    answer: () => long,
    faults: { drip: { bytes: 2_000, milliseconds: 100 } },
  });
  onTestFinished(server.close);
  return { server, model: openai("real", { baseURL: server.url }) };
}

function ask(baseURL: string, question: string, signal: AbortSignal): Promise<Response> {
  const messages = [{ role: "user", content: question }];
  const body = JSON.stringify({ model: "any", stream: true, messages });
  return fetch(`${baseURL}/chat/completions`, { method: "POST", body, signal });
}

/** Asks for a stream, reads its first part, and cancels it. */
async function askAndCancel(baseURL: string, question: string): Promise<number> {
  const controller = new AbortController();
  const response = await ask(baseURL, question, controller.signal);
  await reader(response)();
  controller.abort();
  return response.status;
}

async function session(model: Model, options: { maxCalls?: number; maxTotalTokens?: number } = {}) {
  const gateway = await startGateway({ retryGrace: 10 });
  onTestFinished(gateway.close);
  return gateway.open({ model, ...options });
}

describe("a client that cancels its streams", () => {
  test("is stopped by maxCalls, and has each call recorded", async () => {
    const { server, model } = await slowServer();
    const opened = await session(model, { maxCalls: 3 });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call += 1)
      statuses.push(await askAndCancel(opened.baseURL, `Question ${call}?`));
    await expect.poll(() => opened.calls.length, { timeout: 120_000 }).toBe(3);
    expect(server.requests).toBe(3);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(opened.stopReason).toBe("it reached its limit of 3 model calls");
    for (const { message, finish, error, usage } of opened.calls) {
      expect(long.startsWith(message.content)).toBe(true);
      expect(message.content).not.toBe("");
      expect({ finish, error }).toEqual({ finish: "length", error: "The client disconnected." });
      const outputTokens = Math.ceil(message.content.length / 4);
      expect(usage).toEqual({ inputTokens: expect.any(Number), outputTokens, isEstimated: true });
    }
    expect(opened.failure).toBeUndefined();
  });

  test("is stopped by maxTotalTokens while its calls still run", async () => {
    const { server, model } = await slowServer();
    const gateway = await startGateway({ retryGrace: 60_000 });
    onTestFinished(gateway.close);
    const { baseURL } = gateway.open({ model, maxTotalTokens: 1 });
    expect(await askAndCancel(baseURL, "First?")).toBe(200);
    expect(await askAndCancel(baseURL, "Second?")).toBe(400);
    expect(server.requests).toBe(1);
  });
});

test("does not let equal concurrent calls pass maxCalls", async () => {
  const { server, model } = await slowServer();
  const opened = await session(model, { maxCalls: 3 });
  const controller = new AbortController();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => ask(opened.baseURL, "Question?", controller.signal)),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(server.requests).toBe(3);
  controller.abort();
  await expect.poll(() => opened.calls.length, { timeout: 120_000 }).toBe(3);
});

test("estimates and marks the tokens of a reply whose model does not report them", async () => {
  const content = "x".repeat(40);
  const opened = await session(
    async () => ({ message: { role: "assistant", content }, finish: "stop" }),
    { maxTotalTokens: 10 },
  );
  expect(await askAndCancel(opened.baseURL, "First?")).toBe(200);
  expect(opened.calls).toMatchObject([{ usage: { outputTokens: 10, isEstimated: true } }]);
  expect(await askAndCancel(opened.baseURL, "Second?")).toBe(400);
  expect(opened.stopReason).toBe("its replies reached the limit of 10 tokens in total");
});

test("counts calls that fail, and records why", async () => {
  const { server, model } = await slowServer();
  server.faults = { serverError: { status: 400 } };
  const opened = await session(model, { maxCalls: 2 });
  for (const question of ["First?", "Second?", "Third?"])
    await askAndCancel(opened.baseURL, question);
  expect(server.requests).toBe(2);
  expect(opened.calls).toMatchObject([
    { message: { content: "" }, error: expect.stringContaining("The test server failed.") },
    { error: expect.any(String) },
  ]);
});

test("records a running call when its session is closed, also with a model that ignores its signal", async () => {
  const recorded: AgentCall[] = [];
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const asked = Promise.withResolvers<void>();
  const model: Model = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  const opened = gateway.open({ model, onCall: (call) => void recorded.push(call) });
  const reply = askAndCancel(opened.baseURL, "Question?").catch(() => undefined);
  await asked.promise;
  opened.close();
  expect(recorded).toMatchObject([
    { error: "The rollout has ended.", usage: { outputTokens: 0, isEstimated: true } },
  ]);
  await gateway.close();
  await reply;
});

test("keeps the calls that an agent cancels in the rollout and in its row", async () => {
  const { model } = await slowServer();
  const environment = defineEnvironment({
    name: "short",
    dataset: () => [{ prompt: "Answer." }],
    rubric: { any: () => 1 },
  });
  const played = await rollout(
    environment(),
    { prompt: "Answer." },
    {
      model: agent(
        async ({ baseURL }) => {
          await askAndCancel(baseURL, "First?");
          await sleep(50);
          return "word";
        },
        { model },
      ),
    },
  );
  expect(played).toMatchObject({ status: "scored", isTruncated: false });
  expect(played.completion).toEqual([{ role: "assistant", content: "word" }]);
  const [call] = played.unfinishedCalls ?? [];
  expect(call).toMatchObject({ error: "The rollout has ended.", usage: { isEstimated: true } });
  expect(played.usage).toEqual(call!.usage);
  const row = toRow(played);
  expect(row.unfinished_calls).toMatchObject([
    { error: "The rollout has ended.", usage: { is_estimated: true } },
  ]);
  expect(parseRow(JSON.stringify(row))).toMatchObject({
    usage: played.usage,
    unfinishedCalls: [{ message: call!.message, error: call!.error, usage: call!.usage }],
  });
});
