import { onAbort } from "@envs/core/engine";
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";

import { Connection, type Timeouts } from "./connection.ts";
import { McpError } from "./errors.ts";
import type { McpServer } from "./server.ts";

/** A remote server cannot report that its tools have changed, since no stream is open: they are listed again after this time. */
const maxListAgeMs = 10_000;

const open = new Set<SharedConnection>();
let isWaitingForExit = false;

/** Closes all connections once this process has nothing else to do. After a kill, `reaper.ts` ends the servers. */
function closeAtExit(): void {
  if (isWaitingForExit) return;
  isWaitingForExit = true;
  process.on("beforeExit", () => {
    for (const connection of open) void connection.close();
  });
}

/** One connection for all rollouts of this process: the first tool call opens it, and a later one reopens a broken connection. */
export class SharedConnection {
  readonly #server: McpServer;
  readonly #timeouts: Timeouts;
  #connection: Promise<Connection> | undefined;

  constructor(server: McpServer, timeouts: Timeouts) {
    this.#server = server;
    this.#timeouts = timeouts;
  }

  async tools(signal: AbortSignal | undefined): Promise<readonly Tool[]> {
    const connection = await this.#get(signal);
    if ("url" in this.#server && connection.listAge > maxListAgeMs) connection.invalidateTools();
    return abortable(connection.tools(), signal);
  }

  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<CallToolResult> {
    const connection = await this.#get(signal);
    try {
      return await connection.call(name, input, signal);
    } catch (error) {
      // Retries, because the server lost the session before it ran the tool.
      if (!(error instanceof McpError && error.isRepeatable)) throw error;
      return (await this.#get(signal)).call(name, input, signal);
    }
  }

  async close(): Promise<void> {
    open.delete(this);
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    await connection?.close();
  }

  async #get(signal: AbortSignal | undefined): Promise<Connection> {
    const current = await abortable(this.#open(), signal);
    if (current.problem === undefined) return current;
    this.#connection = undefined;
    return abortable(this.#open(), signal);
  }

  #open(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    closeAtExit();
    open.add(this);
    const opening = Connection.open(this.#server, this.#timeouts);
    this.#connection = opening;
    opening.catch(() => {
      if (this.#connection === opening) this.#connection = undefined;
    });
    return opening;
  }
}

/** Waits for a promise that others wait for as well: aborting ends this wait only. */
function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal?.reason as Error));
    void promise.then(resolve, reject).finally(unsubscribe);
  });
}
