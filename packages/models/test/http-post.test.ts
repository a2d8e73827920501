import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { defineEnvironment, rollout, type RolloutError, userMessage } from "@envs/core";
import { openai } from "@envs/models";
import { toRow } from "@envs/records";
import { getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from "undici";
import { expect, test } from "vitest";

import { completion } from "./providers/behaviour.ts";

async function listen(handle: RequestListener) {
  const urls: string[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url ?? "");
    handle(request.resume(), response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    server,
    urls,
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const answer: RequestListener = (_request, response) => response.end(JSON.stringify(completion()));
const request = { messages: [userMessage("Hi.")], signal: new AbortController().signal };
const ask = (baseURL: string) =>
  openai("small", { baseURL, retries: 0 })(request).catch((error: unknown) => error);

test("does not send the API key to another origin", async () => {
  await using other = await listen(answer);
  await using server = await listen((_request, response) =>
    response.writeHead(307, { location: `${other.origin}/v1/chat/completions` }).end(),
  );
  expect(await ask(`${server.origin}/v1`)).toMatchObject({
    isFatal: true,
    message: expect.stringContaining(`to ${other.origin}/v1/chat/completions (307)`),
  });
  expect(other.urls).toEqual([]);
});

test("rejects a chain of more than five redirects", async () => {
  await using server = await listen(({ url }, response) =>
    response.writeHead(308, { location: `${url}x` }).end(),
  );
  expect(await ask(`${server.origin}/v1`)).toMatchObject({
    isFatal: true,
    message: expect.stringContaining("more than 5 times"),
  });
  expect(server.urls).toHaveLength(6);
});

test("keeps the query of the base URL, and its path without trailing slashes", async () => {
  await using server = await listen(answer);
  await ask(`${server.origin}/openai/?api-version=1`);
  expect(server.urls).toEqual(["/openai/chat/completions?api-version=1"]);
});

test("explains a proxy that rejects the connection without credentials", async () => {
  await using proxy = await listen(answer);
  proxy.server.on("connect", (_request, socket) =>
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"),
  );
  const dispatcher = getGlobalDispatcher();
  const agent = new ProxyAgent({ uri: proxy.origin, proxyTunnel: true });
  setGlobalDispatcher(agent);
  try {
    expect(await ask("http://model.invalid/v1")).toMatchObject({
      isFatal: true,
      message: expect.stringContaining("requires credentials (407)"),
    });
  } finally {
    setGlobalDispatcher(dispatcher);
    await agent.close();
  }
});

test.for([
  ["localhost:8000/v1", "is not valid"],
  ["not a url", "is not valid"],
  ["http://me:secret@localhost/v1", "of localhost contains a user name or a password"],
])("rejects the base URL %s before any request", ([baseURL, problem]) => {
  expect(() =>
    openai("small", { baseURL }).check?.({ name: "x", policies: [], media: [] }),
  ).toThrow(problem);
});

test("gives tool calls ids that are unique in the conversation", async () => {
  const call = { id: "call_0", type: "function", function: { name: "look", arguments: "{}" } };
  await using server = await listen((_request, response) =>
    response.end(JSON.stringify(completion({ tool_calls: [call] }))),
  );
  const first = { role: "assistant", content: "", tool_calls: [call] } as const;
  const result = { role: "tool", tool_call_id: "call_0", content: "dark" } as const;
  const reply = await openai("small", { baseURL: `${server.origin}/v1` })({
    ...request,
    messages: [userMessage("Look."), first as never, result],
  });
  expect(reply.message.tool_calls?.map(({ id }) => id)).toEqual(["call_0_2"]);
});

test("writes an error page of 5 KB as less than 3 KB into the record", async () => {
  const page = `<html><title>Bad gateway</title><body>${'<p>\u0007 \u001b[31m"origin"</p>\n'.repeat(250)}`;
  await using server = await listen((_request, response) => response.writeHead(502).end(page));
  const environment = defineEnvironment({
    name: "once",
    dataset: () => [{ prompt: "Hi." }],
    rubric: { one: () => 1 },
  })();
  const model = openai("small", { baseURL: `${server.origin}/v1`, retries: 0 });
  const failed = await rollout(environment, { prompt: "Hi." }, { model });
  const { message } = (failed as { readonly error?: RolloutError }).error!;
  expect(message).toContain('502 an HTML page, "Bad gateway"');
  expect(JSON.stringify(toRow(failed).error).length).toBeLessThan(3000);
});
