import { parseJson, type RelayedCall } from "@envs/core/engine";
import { createParser, type EventSourceMessage } from "eventsource-parser";

import { type ServerContext, ServerError } from "../http/server-error.ts";
import type { ServerOptions } from "./server-target.ts";
import type { StreamJoiner, Wire } from "./wire.ts";

/** The events of a streamed reply: passes them on, and joins them to the reply that they are parts of. */
export class RelayedStream<Options extends ServerOptions> {
  /** Whether the server has sent a part of a stream. */
  hasBegun = false;
  /** Whether the client has received something, so that the call cannot be made again. */
  hasWritten = false;
  readonly #relay: RelayedCall;
  readonly #joiner: StreamJoiner;
  readonly #parser: ReturnType<typeof createParser>;
  #isEnd = false;
  #failure: unknown;

  constructor(relay: RelayedCall, wire: Wire<Options>) {
    this.#relay = relay;
    this.#joiner = wire.join(relay.body);
    this.#parser = createParser({ onEvent: (event) => this.#receive(event) });
  }

  /** Reads the next text of the stream. */
  readonly feed = (text: string): void => {
    this.hasBegun = true;
    this.#parser.feed(text);
  };

  /** The part of the reply that has arrived, as a server without streams would send it; `undefined` before its first event. */
  received(): unknown {
    return this.hasBegun ? this.#joiner.whole() : undefined;
  }

  /** The whole reply, as a server without streams would send it. Throws a `ServerError` for a stream that broke off. */
  whole({ server }: Pick<ServerContext, "server">): unknown {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#joiner.isComplete()) return this.#joiner.whole();
    throw new ServerError(
      this.hasWritten ? "permanent" : "transient",
      `The stream of ${server} ended before the reply did.`,
    );
  }

  #receive({ data, event }: EventSourceMessage): void {
    const value = parseJson(data);
    const place = this.#joiner.add(value);
    // The caller reports the error in its own words.
    if (place === "error") this.#failure ??= value;
    if (place === "error" || place === "internal") return;
    this.#isEnd ||= place === "end";
    this.hasWritten ||= !this.#isEnd;
    const lines = data.split("\n").map((line) => `data: ${line}\n`);
    const head = event === undefined ? "" : `event: ${event}\n`;
    this.#relay.write(`${head}${lines.join("")}\n`, this.#isEnd);
  }
}
