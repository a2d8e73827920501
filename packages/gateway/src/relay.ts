import type { RelayedCall } from "@envs/core/engine";
import type { HttpReply } from "@envs/core/node";

import { streamHeaders } from "./dialects/events.ts";

interface RelayOptions extends Pick<RelayedCall, "dialect" | "read" | "write"> {
  /** The request as the client has sent it. */
  readonly body: string;
  readonly write: (event: string) => void;
}

/** A call that the model may pass on. */
interface Relay {
  readonly call: RelayedCall;
  /** The events that the client receives when the call is recorded; `undefined` if the model did not pass it on. */
  readonly rest: () => HttpReply | undefined;
}

/** Lets a model pass a call on to a server with the client's wire format. Holds the end of the reply back. */
export function relay({ dialect, body, read, write }: RelayOptions): Relay {
  const held: string[] = [];
  let isRelayed = false;
  let parsed: RelayedCall["body"] | undefined;
  return {
    call: {
      dialect,
      get body() {
        return (parsed ??= JSON.parse(body) as RelayedCall["body"]);
      },
      read,
      write(event, isEnd) {
        isRelayed = true;
        if (isEnd) held.push(event);
        else write(event);
      },
    },
    rest: () =>
      isRelayed ? { status: 200, headers: streamHeaders, body: held.join("") } : undefined,
  };
}
