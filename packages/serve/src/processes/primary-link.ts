import type { Socket } from "node:net";

import type { SessionRegistry } from "../sessions/session-registry.ts";
import type {
  CallArgument,
  CallName,
  CallResult,
  PrimaryMessage,
  ProcessMessage,
  ProcessSetup,
} from "./messages.ts";
import { deserializeError } from "./serialized-error.ts";

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The requests of the primary to a process. */
export interface PrimaryHandlers {
  readonly setup: (setup: ProcessSetup) => void;
  readonly connection: (socket: Socket) => void;
  readonly close: (drainMs: number) => void;
  /** The primary has ended. */
  readonly disconnect: () => void;
}

/** The connection of a process to its primary. */
export class PrimaryLink {
  readonly #pendingCalls = new Map<number, PendingCall>();
  #lastId = 0;

  listen(handlers: PrimaryHandlers): void {
    process.on("message", (message: PrimaryMessage, socket?: Socket) => {
      switch (message.kind) {
        case "setup":
          return handlers.setup(message.setup);
        case "offer":
          return this.send({ kind: "take" });
        case "connection":
          this.send({ kind: "accepted", connection: message.connection });
          // The client may have disconnected.
          if (socket !== undefined) handlers.connection(socket);
          else this.send({ kind: "disconnected" });
          return undefined;
        case "close":
          return handlers.close(message.drainMs);
        case "result":
          return this.#take(message.id)?.resolve(message.result);
        case "error":
          return this.#take(message.id)?.reject(deserializeError(message.error));
      }
    });
    process.on("disconnect", handlers.disconnect);
  }

  send(message: ProcessMessage): void {
    if (process.connected) process.send!(message, undefined, undefined, () => undefined);
  }

  call<Name extends CallName>(name: Name, argument: CallArgument<Name>): Promise<CallResult<Name>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pendingCalls.set(id, { resolve: resolve as PendingCall["resolve"], reject });
      this.send({ kind: "call", id, name, argument });
    });
  }

  #take(id: number): PendingCall | undefined {
    const pendingCall = this.#pendingCalls.get(id);
    this.#pendingCalls.delete(id);
    return pendingCall;
  }
}

/** The registry of sessions in a process, which asks the primary. */
export function remoteRegistry(link: PrimaryLink, maxSessions: number): SessionRegistry {
  return {
    // Only errors at the limit contain this number.
    count: maxSessions,
    add: async (id) => void (await link.call("add", id)),
    remove: (session) => link.send({ kind: "remove", session }),
    // The primary rejects new sessions before it drains its processes.
    drain: () => undefined,
  };
}
