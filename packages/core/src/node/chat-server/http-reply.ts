import type { ServerResponse } from "node:http";

/** A complete response of the server. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Creates a reply with a JSON body. */
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
