import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A server that returns the same completion for every request, after the milliseconds of its first argument, at once without one.
 * It sends its port to the parent process.
 */
const delay = Number(process.argv[2] ?? 0);
const body = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "model",
  choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
});

const server = createServer((request, response) => {
  const respond = (): void => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  };
  request.resume().on("end", () => {
    if (delay === 0) respond();
    else setTimeout(respond, delay);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
