import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

export type Body = Readonly<Record<string, unknown>>;

/** An HTTP server that answers as `answer` does, and keeps the requests. */
export async function upstream(answer: (response: ServerResponse, body: Body) => unknown) {
  const bodies: Body[] = [];
  const requests: Pick<IncomingMessage, "url" | "headers">[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as Body;
    bodies.push(body);
    requests.push(request);
    await answer(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, bodies, requests };
}

/** Reads a stream part by part. */
export function reader(response: Response): () => Promise<string> {
  const parts = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  return async () => (await parts.read()).value ?? "";
}
