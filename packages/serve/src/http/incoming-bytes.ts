import type { FastifyInstance } from "fastify";

import { ServeError } from "../errors.ts";

/** The source of a message that is incomplete or not read yet. */
export interface Sender {
  /** Discards the message. */
  reject(): void;
}

/** Bounds the bytes that are being received over all connections: above the limit, the largest message is rejected. */
export class IncomingBytes {
  readonly #maxBytes: number;
  readonly #bytesBySender = new Map<Sender, number>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Sets how many bytes of a sender are in memory now. */
  set(sender: Sender, bytes: number): void {
    this.#total += bytes - (this.#bytesBySender.get(sender) ?? 0);
    if (bytes === 0) this.#bytesBySender.delete(sender);
    else this.#bytesBySender.set(sender, bytes);
    while (this.#total > this.#maxBytes) this.#rejectLargest();
  }

  #rejectLargest(): void {
    let [largest, maxBytes]: [Sender | undefined, number] = [undefined, 0];
    for (const [sender, bytes] of this.#bytesBySender)
      if (bytes > maxBytes) [largest, maxBytes] = [sender, bytes];
    if (largest === undefined) return;
    this.set(largest, 0);
    largest.reject();
  }
}

/** Counts the bytes of HTTP request bodies while they arrive. */
export function countRequestBodies(app: FastifyInstance, incomingBytes: IncomingBytes): void {
  app.addHook("preParsing", (_request, reply, ...[payload, done]) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      incomingBytes.set(sender, bytes);
    };
    const stop = (): void => {
      payload.off("data", count);
      incomingBytes.set(sender, 0);
    };
    const sender = {
      reject() {
        stop();
        // Closes the connection, because the server does not read the rest of the body.
        reply.header("connection", "close");
        payload.emit(
          "error",
          new ServeError(
            "capacity",
            "This server is receiving too much at once. Send this again later, or start the server with a higher incomingBytes.",
          ),
        );
      },
    };
    payload.on("data", count);
    payload.once("end", stop);
    payload.once("close", stop);
    payload.once("error", stop);
    done(null, payload);
  });
}
