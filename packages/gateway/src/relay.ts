import type { RelayedCall } from "@envs/core/engine";
import type { HttpReply } from "@envs/models/server";

import type { Dialect, DialectRequest } from "./dialects/dialect.ts";
import { streamHeaders } from "./dialects/events.ts";

interface RelayOptions extends Omit<RelayedCall, "write"> {
  readonly write: (event: string) => void;
}

/** A call that the model may pass on. */
interface Relay {
  readonly call: RelayedCall;
  /** The rest of the stream, sent when the call is recorded; `undefined` if the model did not pass it on. */
  readonly rest: () => HttpReply | undefined;
}

/** Lets a model pass a call on to a server with the client's wire format. Delays the end of the reply until it is recorded. */
export function relay({ write, ...options }: RelayOptions): Relay {
  const held: string[] = [];
  let isRelayed = false;
  const headers = options.isStream ? streamHeaders : { "content-type": "application/json" };
  return {
    call: {
      ...options,
      write(text, isEnd) {
        isRelayed = true;
        if (isEnd) held.push(text);
        else write(text);
      },
    },
    rest: () => (isRelayed ? { status: 200, headers, body: held.join("") } : undefined),
  };
}

/** The headers of a request that a relayed call has, too. */
export function relayedHeaders(
  { relayedHeaders: names = [] }: Dialect,
  { headers }: Pick<DialectRequest, "headers">,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}
