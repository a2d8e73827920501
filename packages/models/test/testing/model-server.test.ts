import { textOf, userMessage } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { describe, expect, test, vi } from "vitest";

const hello = JSON.stringify({ model: "model", messages: [{ role: "user", content: "Hello" }] });

function ask(url: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/chat/completions`, { method: "POST", body: hello, signal: signal ?? null });
}

async function statuses(url: string, count: number): Promise<number[]> {
  const codes: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await ask(url);
    await response.text();
    codes.push(response.status);
  }
  return codes;
}

describe("without faults", () => {
  test("answers with a function of the request and adds usage", async () => {
    await using server = await modelServer({
      answer: ({ messages }) => `${textOf(messages[0]!.content)}!`,
    });
    expect(await (await ask(server.url)).json()).toMatchObject({
      choices: [{ message: { content: "Hello!" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 2, completion_tokens: 2 },
    });
  });

  test("answers with a model under the model's name", async () => {
    await using server = await modelServer({ answer: scriptedModel("Hi.") });
    const model = openai("scripted", { baseURL: server.url });
    const { signal } = new AbortController();
    const { message } = await model({ messages: [userMessage("Hello")], signal });
    expect(message.content).toBe("Hi.");
  });

  test("counts requests and their maximum concurrency", async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await modelServer({
      async answer() {
        if (server.requests === 3) gate.resolve();
        await gate.promise;
        return "Together.";
      },
    });
    await Promise.all([ask(server.url), ask(server.url), ask(server.url)]);
    await ask(server.url);
    await fetch(`${server.url}/models`);
    expect(server.requests).toBe(4);
    expect(server.maxConcurrent).toBe(3);
  });
});

describe("a fault", () => {
  test("delay delays the response", async () => {
    await using server = await modelServer({ faults: { delay: { milliseconds: 20 } } });
    expect((await ask(server.url)).status).toBe(200);
    expect(server.faultCounts.delay).toBe(1);
  });

  test("stall does not respond until the client aborts", async () => {
    await using server = await modelServer({ faults: { stall: {} } });
    const controller = new AbortController();
    const response = ask(server.url, controller.signal);
    await vi.waitUntil(() => server.faultCounts.stall === 1, 120_000);
    controller.abort(new Error("given up"));
    await expect(response).rejects.toThrow("given up");
  });

  test("stall ends when the server closes", async () => {
    const server = await modelServer({ faults: { stall: {} } });
    const response = ask(server.url);
    response.catch(() => undefined);
    await fetch(`${server.url}/models`);
    await server.close();
    await expect(response).rejects.toThrow("fetch failed");
  });

  test("drop closes the connection", async () => {
    await using server = await modelServer({ faults: { drop: { first: 1 } } });
    await expect(ask(server.url)).rejects.toThrow("fetch failed");
    expect((await ask(server.url)).status).toBe(200);
  });

  test("rateLimit responds 429 with Retry-After in seconds or as a date", async () => {
    await using server = await modelServer({ faults: { rateLimit: { retryAfter: 3 } } });
    const limited = await ask(server.url);
    expect(limited.status).toBe(429);
    expect(limited.headers.get("retry-after")).toBe("3");
    server.faults = { rateLimit: { retryAfter: 3, asDate: true } };
    const date = (await ask(server.url)).headers.get("retry-after");
    expect(date).toMatch(/GMT$/);
    expect(Number.isNaN(Date.parse(date ?? ""))).toBe(false);
    server.faults = { rateLimit: {} };
    expect((await ask(server.url)).headers.has("retry-after")).toBe(false);
  });

  test("serverError responds with its status", async () => {
    await using server = await modelServer({ faults: { serverError: {} } });
    expect((await ask(server.url)).status).toBe(500);
    server.faults = { serverError: { status: 503 } };
    expect((await ask(server.url)).status).toBe(503);
  });

  test("brokenJson is a complete response that cannot be parsed", async () => {
    await using server = await modelServer({ faults: { brokenJson: {} } });
    const body = await (await ask(server.url)).text();
    expect(body.startsWith("{")).toBe(true);
    expect(() => JSON.parse(body)).toThrow("JSON");
  });

  test("cut closes the connection in the middle of the body", async () => {
    await using server = await modelServer({ faults: { cut: {} } });
    const response = await ask(server.url);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("wrongType responds with an HTML page", async () => {
    await using server = await modelServer({ faults: { wrongType: {} } });
    expect((await ask(server.url)).headers.get("content-type")).toBe("text/html");
  });

  test("noChoices is a completion without choices", async () => {
    await using server = await modelServer({ faults: { noChoices: {} } });
    expect(await (await ask(server.url)).json()).toMatchObject({ choices: [] });
  });

  test("drip sends the whole body slowly", async () => {
    await using server = await modelServer({ faults: { drip: { bytes: 50, milliseconds: 1 } } });
    expect(await (await ask(server.url)).json()).toMatchObject({ object: "chat.completion" });
    expect(server.faultCounts.drip).toBe(1);
  });

  test.for(["drop", "brokenJson", "cut", "wrongType", "noChoices"] as const)(
    "%s fails with the code model in the openai client",
    async (fault) => {
      await using server = await modelServer({ faults: { [fault]: {} } });
      const model = openai("model", { baseURL: server.url, retries: 0 });
      const { signal } = new AbortController();
      const response = model({ messages: [userMessage("Hello")], signal });
      await expect(response).rejects.toMatchObject({ name: "RolloutError", code: "model" });
    },
  );
});

describe("a fault", () => {
  test("affects the first requests after it was set", async () => {
    await using server = await modelServer();
    await ask(server.url);
    server.faults = { serverError: { first: 2 } };
    expect(await statuses(server.url, 4)).toEqual([500, 500, 200, 200]);
  });

  test("affects every n-th request", async () => {
    await using server = await modelServer({ faults: { serverError: { every: 3 } } });
    expect(await statuses(server.url, 6)).toEqual([200, 200, 500, 200, 200, 500]);
  });

  test("does not affect retries of a request that it has affected", async () => {
    await using server = await modelServer({
      faults: { serverError: { every: 2, retries: false }, rateLimit: { retries: false } },
    });
    expect(await statuses(server.url, 3)).toEqual([429, 200, 200]);
    const other = { method: "POST", body: hello.replace("Hello", "Hi") };
    const status = async () => (await fetch(`${server.url}/chat/completions`, other)).status;
    server.faults = { serverError: { every: 2, retries: false } };
    expect(await statuses(server.url, 3)).toEqual([200, 200, 200]);
    expect([await status(), await status()]).toEqual([500, 200]);
  });

  test("affects random requests, the same for the same seed", async () => {
    const faults = { serverError: { chance: 0.5 } };
    await using one = await modelServer({ faults, seed: "a" });
    await using same = await modelServer({ faults, seed: "a" });
    await using other = await modelServer({ faults, seed: "b" });
    const codes = await statuses(one.url, 24);
    expect(await statuses(same.url, 24)).toEqual(codes);
    expect(await statuses(other.url, 24)).not.toEqual(codes);
    expect(new Set(codes)).toEqual(new Set([200, 500]));
    expect(one.faultCounts.serverError).toBe(codes.filter((status) => status === 500).length);
  });
});
