import type { ModelRequest, ModelResponse } from "@envs/core";

import type { httpPost as httpPostType } from "#http-post";

import { networkError } from "../http/network-error.ts";
import { ServerError } from "../http/server-error.ts";
import { readJson } from "./read-json.ts";
import { extendBody, relayedBody, relayedCall } from "./relayed-call.ts";
import { RelayedStream } from "./relayed-stream.ts";
import { serverReport } from "./server-report.ts";
import { callURL, type ServerOptions, type ServerTarget } from "./server-target.ts";
import { splicedBody } from "./spliced-body.ts";
import type { Wire, WireBody } from "./wire.ts";

/** One server of a model. */
export interface WireClient {
  /** The server's address for messages. */
  readonly address: string;
  /** Sends a request once. Rejects with a `ServerError`, or with the reason of the request's signal. */
  readonly ask: (request: ModelRequest) => Promise<ModelResponse>;
}

// Imported with the first request: programs that only read runs need no HTTP client.
let client: Promise<{ readonly httpPost: typeof httpPostType }> | undefined;

/** Creates the client of one server. */
export function wireClient<Options extends ServerOptions>(
  name: string,
  ownWire: Wire<Options>,
  target: ServerTarget,
  options: Options,
): WireClient {
  const { timeout = 600_000 } = options;
  const { server } = target;
  const { api, addressHint } = ownWire.server;
  const context = { name, server, api, addressHint };
  let hasResponded = false;

  return {
    address: server,
    async ask(request) {
      const { signal } = request;
      signal.throwIfAborted();
      const { other } = ownWire;
      const isOther = other !== undefined && request.relay?.dialect === other.dialect;
      const wire = isOther ? { ...ownWire, ...other } : ownWire;
      const bodyOf = (asked: ModelRequest): WireBody =>
        extendBody(wire.body(name, asked, options), options.extraBody, wire.nestedFields);
      const relay = relayedCall(request, wire, options);
      const stream = relay?.isStream === true ? new RelayedStream(relay, wire) : undefined;
      const read = (whole: unknown, status: number): ModelResponse => {
        const reply = wire.read(whole, request, context);
        return { ...reply, server: serverReport(whole, status) };
      };
      if (stream !== undefined)
        relay?.onStream?.(() => {
          const received = stream.received();
          return received === undefined ? undefined : read(received, 200);
        });
      const body =
        relay === undefined ? bodyOf(request) : relayedBody(request, relay, { wire, bodyOf });
      const { httpPost } = await (client ??= import("#http-post"));
      try {
        const response = await httpPost({
          url: callURL(target.url, wire.path(name, { isStream: stream !== undefined })),
          headers: { ...target.headers, ...relay?.headers },
          body:
            relay === undefined
              ? JSON.stringify(body)
              : splicedBody(body, relay.body, relay.fields),
          signal,
          timeout,
          server,
          onText: stream?.feed,
        }).catch((error: unknown) => {
          signal.throwIfAborted();
          throw networkError(error, { server, hasResponded });
        });
        // A server may ignore the request for a stream.
        const whole = stream?.hasBegun ? stream.whole(context) : readJson(response, context);
        const reply = read(whole, response.status);
        hasResponded = true;
        if (stream === undefined) relay?.write(response.text, true);
        if (stream?.hasBegun !== false) relay?.onReply?.(whole);
        return reply;
      } catch (error) {
        // Does not retry: a client that has read a part of one reply cannot read another.
        if (stream?.hasWritten === true && error instanceof ServerError)
          throw new ServerError("permanent", error.message, { cause: error, status: error.status });
        throw error;
      }
    },
  };
}
