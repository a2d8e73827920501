import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

import type { McpEndpoint } from "./server.ts";

/** A transport over streamable HTTP that closes its connection between requests, or the older one with a stream of events. */
export function httpTransport({
  url,
  headers,
  transport,
}: McpEndpoint): StreamableHTTPClientTransport | SSEClientTransport {
  const { username, password, ...rest } = credentialsIn(url);
  const authorization =
    username || password
      ? { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` }
      : {};
  const requestInit = { headers: { ...authorization, ...headers } };
  if (transport === "sse") return new SSEClientTransport(rest.url, { requestInit });
  return new StreamableHTTPClientTransport(rest.url, { requestInit, fetch: withoutEventStream });
}

/** `fetch` rejects addresses with credentials. */
function credentialsIn(address: string | URL) {
  const url = new URL(address);
  const [username, password] = [url.username, url.password].map(decodeURIComponent) as [
    string,
    string,
  ];
  url.username = "";
  url.password = "";
  return { url, username, password };
}

/**
 * Declines the stream of a server's own messages, as a server without one does: an open stream keeps this process running
 * after the last rollout. Tools are listed again instead. Streams that resume a response are requested.
 */
const withoutEventStream: FetchLike = async (url, init) => {
  const isEventStream = init?.method === "GET" && !new Headers(init.headers).has("last-event-id");
  return isEventStream ? new Response(null, { status: 405 }) : fetch(url, init);
};
