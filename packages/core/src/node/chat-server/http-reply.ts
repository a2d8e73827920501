import type { ServerResponse } from "node:http";

/** What a server answers: all of it, before the first byte is sent. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply of JSON. */
export function json(status: number, body: unknown, headers: HttpReply["headers"] = {}): HttpReply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Sends a reply and ends the response. */
export function send(response: ServerResponse, { status, headers, body }: HttpReply): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": bytes.length });
  response.end(bytes);
}
