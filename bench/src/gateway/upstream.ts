import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/**
 * A model's server. It replies at once, unless the conversation contains the word slowly: then the first token comes at once, and one
 * more each hundred milliseconds, as many as the first argument. Without a stream, the completion comes with the last token. It sends
 * its port to the parent process.
 */
const count = Number(process.argv[2]);
const envelope = { id: "chatcmpl-1", created: 0, model: "model" };
const usage = { prompt_tokens: 10, completion_tokens: count, total_tokens: 10 + count };
const completion = JSON.stringify({
  ...envelope,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
  usage,
});
const event = (delta: object, finish: string | null = null, rest: object = {}): string =>
  `data: ${JSON.stringify({
    ...envelope,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  })}\n\n`;

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { stream } = JSON.parse(body) as { readonly stream?: boolean };
  const further = body.includes("slowly") ? count - 1 : 0;
  if (stream !== true) {
    await setTimeout(100 * further);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(completion);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(event({ role: "assistant", content: "Yes" }));
  for (let token = 0; token < further && !response.destroyed; token += 1) {
    await setTimeout(100);
    response.write(event({ content: " yes" }));
  }
  response.end(`${event({}, "stop", { usage })}data: [DONE]\n\n`);
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
);
