import type { ServerResponse } from "node:http";

const headers = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

export function sendText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { ...headers, "content-type": "text/plain; charset=utf-8" })
    .end(`${text}\n`);
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response
    .writeHead(200, { ...headers, "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify(value));
}

/** Sends values as JSON lines as soon as they are known, and waits for a slow reader. */
export async function sendLines(
  response: ServerResponse,
  values: AsyncIterable<unknown>,
): Promise<void> {
  const iterator = values[Symbol.asyncIterator]();
  // An error before the first value still has a status and a message.
  let next = await iterator.next();
  response.writeHead(200, { ...headers, "content-type": "application/x-ndjson; charset=utf-8" });
  for (; next.done !== true && !response.destroyed; next = await iterator.next()) {
    if (response.write(`${JSON.stringify(next.value)}\n`)) continue;
    await drained(response);
  }
  await iterator.return?.();
  response.end();
}

/** Waits until the reader has received the written bytes, or has closed the connection. */
async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

export function sendBody(
  response: ServerResponse,
  {
    status = 200,
    type,
    body,
    more = {},
  }: {
    readonly status?: number;
    readonly type: string;
    readonly body: string | Buffer;
    readonly more?: Readonly<Record<string, string>>;
  },
): void {
  response.writeHead(status, { ...headers, "content-type": type, ...more }).end(body);
}
