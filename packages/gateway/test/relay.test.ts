import { type Model } from "@envs/core";
import type { AgentCall } from "@envs/core/engine";
import { startGateway } from "@envs/gateway";
import { openai } from "@envs/models";
import { expect, onTestFinished, test } from "vitest";

import { type Body, reader, upstream } from "./support/upstream.ts";

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "up-1", x_own: true, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\n`;
const done = "data: [DONE]\n\n";

const stream = { "content-type": "text/event-stream" };

async function session(
  model: Model,
  options: { onCall?: (call: AgentCall) => Promise<void> } = {},
) {
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const opened = gateway.open({ model, sampling: { temperature: 0.5 }, ...options });
  const post = (more: Body = {}): Promise<Response> =>
    fetch(`${opened.baseURL}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "asked",
        messages: [{ role: "user", content: "Hello" }],
        temperature: 0.9,
        max_tokens: 50,
        x_unknown: { kept: true },
        stream: true,
        ...more,
      }),
    });
  return { opened, post };
}

test("passes events on as they come, and the last ones once the call is recorded", async () => {
  const { promise: goOn, resolve: finish } = Promise.withResolvers<void>();
  const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
  const server = await upstream(async (response) => {
    response.writeHead(200, stream).write(chunk({ role: "assistant", content: "He" }));
    await goOn;
    response.write(chunk({ content: "llo" }));
    response.end(chunk({}, "stop") + usage + done);
  });
  const calls: AgentCall[] = [];
  const { post } = await session(openai("real", { baseURL: `${server.origin}/v1` }), {
    onCall: async (call) => {
      calls.push(call);
      await recorded;
    },
  });
  const next = reader(await post());
  // The server has not finished, and the client reads its first event, byte for byte.
  expect(await next()).toBe(chunk({ role: "assistant", content: "He" }));
  finish();
  expect(await next()).toBe(chunk({ content: "llo" }));
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]).toMatchObject({
    requestedModel: "asked",
    message: { content: "Hello" },
    finish: "stop",
    usage: { inputTokens: 7, outputTokens: 3 },
  });
  const last = next();
  expect(
    await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 50, "held"))]),
  ).toBe("held");
  record();
  // The client has not asked for the token counts.
  expect(await last).toBe(chunk({}, "stop") + done);
});

test("sends the client's request with the model and the sampling of the run", async () => {
  const server = await upstream((response) =>
    response.writeHead(200, stream).end(chunk({ content: "Hi" }, "stop") + usage + done),
  );
  const { post } = await session(openai("real", { baseURL: `${server.origin}/v1` }));
  const text = await (await post({ stream_options: { include_usage: true } })).text();
  expect(text).toBe(chunk({ content: "Hi" }, "stop") + usage + done);
  expect(server.bodies).toEqual([
    {
      model: "real",
      messages: [{ role: "user", content: "Hello" }],
      temperature: 0.5,
      max_tokens: 50,
      x_unknown: { kept: true },
      stream: true,
      stream_options: { include_usage: true },
    },
  ]);
});

test("joins tool calls, reasoning and tokens of a stream", async () => {
  const call = (index: number, more: object): string => chunk({ tool_calls: [{ index, ...more }] });
  const server = await upstream((response) => {
    const tokens = JSON.stringify({
      prompt_token_ids: [1, 2],
      choices: [
        {
          index: 0,
          delta: { reasoning_content: "Look " },
          token_ids: [3],
          logprobs: { content: [{ logprob: -0.5 }] },
        },
      ],
    });
    response.writeHead(200, stream).write(`data: ${tokens}\n\n`);
    response.write(chunk({ reasoning_content: "it up." }));
    response.write(call(0, { id: "c1", function: { name: "search", arguments: '{"q":' } }));
    response.write(call(0, { function: { arguments: '"a"}' } }));
    response.write(call(1, { id: "c2", function: { name: "open", arguments: "{}" } }));
    response.end(chunk({}, "tool_calls") + done);
  });
  const { opened, post } = await session(
    openai("real", { baseURL: `${server.origin}/v1`, tokens: true }),
  );
  await (await post()).text();
  expect(server.bodies[0]).toMatchObject({ logprobs: true, return_token_ids: true });
  expect(opened.calls).toMatchObject([
    {
      finish: "tool_calls",
      message: {
        reasoning_content: "Look it up.",
        tool_calls: [
          { id: "c1", function: { name: "search", arguments: '{"q":"a"}' } },
          { id: "c2", function: { name: "open", arguments: "{}" } },
        ],
      },
      tokens: { promptIds: [1, 2], completionIds: [3], completionLogprobs: [-0.5] },
    },
  ]);
});

test("does not ask again once the client has read a part of a reply that breaks off", async () => {
  const server = await upstream((response) => {
    response.writeHead(200, stream).write(chunk({ content: "Hel" }));
    setTimeout(() => response.destroy(), 20);
  });
  const { opened, post } = await session(openai("real", { baseURL: `${server.origin}/v1` }));
  const text = await (await post()).text();
  expect(text).toContain(chunk({ content: "Hel" }));
  expect(text).toContain('"error"');
  expect(server.bodies).toHaveLength(1);
  expect(opened.calls).toMatchObject([
    { message: { content: "Hel" }, finish: "length", error: opened.failure?.message },
  ]);
  expect(opened.failure?.message).toContain("closed before the stream was complete");
});

test("asks again while the client has read nothing", async () => {
  const server = await upstream((response) => {
    if (server.bodies.length === 1) return response.writeHead(503).end("busy");
    return response.writeHead(200, stream).end(chunk({ content: "Hi" }, "stop") + done);
  });
  const { opened, post } = await session(openai("real", { baseURL: `${server.origin}/v1` }));
  expect(await (await post()).text()).toContain('"Hi"');
  expect(server.bodies).toHaveLength(2);
  expect(opened.calls).toHaveLength(1);
});

test("writes the stream itself for a server that ignores streams, and for a request that was changed", async () => {
  const completion = { choices: [{ message: { content: "Whole" }, finish_reason: "stop" }] };
  const server = await upstream((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion)),
  );
  const model = openai("real", { baseURL: `${server.origin}/v1` });
  const direct = await session(model);
  expect(await (await direct.post()).text()).toContain('"Whole"');
  const changing: Model = (request) =>
    model({ ...request, messages: [...request.messages, { role: "user", content: "Be brief." }] });
  const changed = await session(changing);
  expect(await (await changed.post()).text()).toContain('"Whole"');
  expect(server.bodies[1]).not.toHaveProperty("stream");
  expect(server.bodies[1]!["messages"]).toHaveLength(2);
});

test("passes a whole reply on byte for byte", async () => {
  const completion = { choices: [{ message: { content: "Whole" }, finish_reason: "stop" }] };
  const bytes = JSON.stringify({ ...completion, x_own: true }, null, 1);
  const server = await upstream((response) => response.writeHead(200).end(bytes));
  const { opened, post } = await session(openai("real", { baseURL: `${server.origin}/v1` }));
  const answer = await post({ stream: false });
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await answer.text()).toBe(bytes);
  expect(opened.calls).toMatchObject([{ message: { content: "Whole" } }]);
  expect(server.bodies).toMatchObject([{ model: "real", temperature: 0.5, x_unknown: {} }]);
  expect(server.bodies[0]).not.toHaveProperty("stream_options");
});
