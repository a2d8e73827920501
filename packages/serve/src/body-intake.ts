import type { FastifyInstance } from "fastify";

import { ServeError } from "./failure.ts";
import type { Intake } from "./intake.ts";

const tooMuch =
  "This server is receiving too much at once. Send this again later, or start it with more incomingBytes.";

/** Counts the bytes of bodies that are being sent, and refuses the largest when there are too many. */
export function countBodies(app: FastifyInstance, intake: Intake): void {
  app.addHook("preParsing", (_request, reply, ...[payload, done]) => {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      intake.set(sender, bytes);
    };
    const end = (): void => {
      payload.off("data", count);
      intake.set(sender, 0);
    };
    const sender = {
      refuse() {
        end();
        // What else the client sends is not waited for.
        reply.header("connection", "close");
        payload.emit("error", new ServeError("capacity", tooMuch));
      },
    };
    payload.on("data", count);
    payload.once("end", end);
    payload.once("close", end);
    payload.once("error", end);
    done(null, payload);
  });
}
