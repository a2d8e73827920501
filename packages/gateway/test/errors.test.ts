import { RolloutError } from "@envs/core";
import { type ReplyFunction, scriptedModel } from "@envs/core/testing";
import { startGateway } from "@envs/gateway";
import { describe, expect, test, vi } from "vitest";

import { cases, clients } from "./support/clients.ts";
import { testSession } from "./support/session.ts";

const hello = { steps: [{ user: "Hello" }] };

describe.each(cases)("$name", ({ client, stream }) => {
  test("receives the upstream's error, without a retry", async () => {
    await using gateway = await testSession([new RolloutError("model", "The server is on fire.")]);
    await expect(client.ask(gateway.session, hello, { stream, retries: 2 })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("is on fire"),
    });
    expect(gateway.requests).toHaveLength(1);
    expect(gateway.session.failure).toMatchObject({ code: "model", message: /on fire/ });
    expect(gateway.session.calls).toMatchObject([{ error: "The server is on fire." }]);
  });

  test.each([400, 401, 429])("receives the status %i of the provider", async (status) => {
    await using gateway = await testSession([new RolloutError("model", "Rejected.", { status })]);
    await expect(client.ask(gateway.session, hello, { stream, retries: 2 })).rejects.toMatchObject({
      status,
      message: expect.stringContaining("Rejected."),
    });
    expect(gateway.requests).toHaveLength(1);
  });

  test("receives an error that the conversation is too long", async () => {
    const error = new RolloutError("model", "Too long.", { isOverflow: true });
    await using gateway = await testSession([error]);
    await expect(client.ask(gateway.session, hello, { stream })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("Context length exceeded"),
    });
  });

  test("receives an error once the session has reached its limit", async () => {
    await using gateway = await testSession(["Hi."], { maxCalls: 1 });
    await client.ask(gateway.session, hello, { stream });
    await expect(client.ask(gateway.session, hello, { stream, retries: 2 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("limit of 1 model calls"),
    });
    expect(gateway.requests).toHaveLength(1);
    expect(gateway.session.stopReason).toBe("it reached its limit of 1 model calls");
  });

  test("is rejected without the secret of a rollout", async () => {
    await using gateway = await testSession(["Hi."]);
    const origin = new URL(gateway.session.origin).origin;
    const stranger = { origin, baseURL: `${origin}/v1`, apiKey: "another" };
    await expect(client.ask(stranger, hello, { stream })).rejects.toMatchObject({ status: 401 });
    const known = { ...stranger, apiKey: gateway.session.apiKey };
    expect((await client.ask(known, hello, { stream })).text).toBe("Hi.");
  });

  test("cancels the call when it disconnects", async () => {
    const aborted = vi.fn<() => void>();
    const hang: ReplyFunction = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted();
          reject(signal.reason as Error);
        });
      });
    await using gateway = await testSession([hang], { retryGrace: 10 });
    const controller = new AbortController();
    const asked = client.ask(gateway.session, { ...hello, signal: controller.signal }, { stream });
    const outcome = asked.catch((error: unknown) => error);
    await vi.waitFor(() => expect(gateway.requests).toHaveLength(1), 120_000);
    controller.abort();
    expect(await outcome).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled(), 120_000);
    expect(gateway.session.calls).toMatchObject([{ error: "The client disconnected." }]);
    expect(gateway.session.failure).toBeUndefined();
  });
});

describe("a request that is not valid", () => {
  const paths = {
    chat: "v1/chat/completions",
    responses: "v1/responses",
    messages: "v1/messages",
    gemini: "v1beta/models/any:generateContent",
  };

  test.each(Object.entries(paths))("of %s names the fields", async (dialect, path) => {
    await using gateway = await testSession(["Hi."]);
    const post = (body: string) =>
      fetch(`${gateway.session.origin}/${path}`, { method: "POST", body });
    const noJson = await post("{");
    expect(noJson.status).toBe(400);
    expect(await noJson.text()).toContain("not JSON");
    const wrong = await post('{"model": 3, "messages": [], "contents": []}');
    expect(wrong.status).toBe(400);
    const field = {
      chat: "messages",
      responses: "input",
      messages: "messages",
      gemini: "contents",
    };
    expect(await wrong.text()).toContain(field[dialect as keyof typeof paths]);
    expect(gateway.requests).toEqual([]);
  });

  test("gets 404 for a malformed path, with and without the secret of a rollout", async () => {
    await using gateway = await testSession(["Hi."]);
    const { origin, baseURL } = gateway.session;
    const paths = [
      `${baseURL}/%E0%A4%A`,
      `${baseURL}/models/%ZZ:generateContent`,
      `${baseURL}/modelsandmore`,
      `${new URL(origin).origin}/%E0%A4%A`,
    ];
    for (const path of paths) expect((await fetch(path)).status, path).toBe(404);
  });

  test("gets 405 for GET and DELETE of /mcp, which offers no stream and no session", async () => {
    await using gateway = await testSession(["Hi."]);
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(`${gateway.session.origin}/mcp`, {
        method,
        headers: { accept: "text/event-stream" },
      });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
    }
  });

  test("gets 404 for another path and 405 for another method", async () => {
    await using gateway = await testSession(["Hi."]);
    expect((await fetch(`${gateway.session.baseURL}/completions`)).status).toBe(404);
    expect((await fetch(`${gateway.session.baseURL}/messages`)).status).toBe(405);
  });

  test("refers to output of another rollout", async () => {
    await using gateway = await testSession(["Hi."]);
    const response = await fetch(`${gateway.session.baseURL}/responses`, {
      method: "POST",
      body: JSON.stringify({ model: "any", input: "Hi", previous_response_id: "resp_1" }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('no output with the id \\"resp_1\\"');
  });
});

test("an error after the first sign of life is an event of the stream", async () => {
  for (const client of clients) {
    await using gateway = await testSession(
      [
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 60));
          throw new RolloutError("model", "The server is on fire.");
        },
      ],
      { keepAliveInterval: 20 },
    );
    await expect(client.ask(gateway.session, hello, { stream: true }), client.name).rejects.toThrow(
      /on fire/,
    );
  }
});

test("a stream that waits for its model stays alive", async () => {
  for (const client of clients) {
    await using gateway = await testSession(
      [() => new Promise((resolve) => setTimeout(() => resolve("Hi."), 60))],
      { keepAliveInterval: 20 },
    );
    const answer = await client.ask(gateway.session, hello, { stream: true });
    expect(answer.text, client.name).toBe("Hi.");
  }
});

test("cancels the calls of a closed session, and rejects new ones", async () => {
  await using gateway = await startGateway();
  const session = gateway.open({ model: scriptedModel("Hi.") });
  session.close();
  await expect(clients[0]!.ask(session, hello, { stream: false })).rejects.toMatchObject({
    status: 401,
  });
});
