import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

/** Callbacks for a channel of PostgreSQL notifications. */
export interface Listener {
  readonly message: (payload: string) => void;
  /** Called when notifications may have been missed, because the connection was lost. */
  readonly lost: () => void;
}

/** A separate connection that listens. */
export interface Listening {
  /**
   * Waits for the notifications of all transactions that were committed before the call. PostgreSQL signals listeners before
   * it confirms a commit, and sends pending notifications before the end of a query.
   */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

const responseTimeoutMs = 5000;
const reconnectDelayMs = 500;
/** A server that other programs keep busy may not respond in time to the first attempts. */
const maxAttempts = 10;

/** Listens on a separate connection and reconnects every 500 ms after a loss. Throws if the first ten attempts fail. */
export async function listenTo(
  url: string,
  channel: string,
  { message, lost }: Listener,
): Promise<Listening> {
  const state: { isStopped: boolean; client?: pg.Client | undefined } = { isStopped: false };
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const connect = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: responseTimeoutMs,
      query_timeout: responseTimeoutMs,
    });
    client.on("notification", ({ payload }) => message(payload ?? ""));
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    if (state.isStopped) return await client.end();
    client.once("end", () => void reconnect());
    state.client = client;
  };
  const reconnect = async (): Promise<void> => {
    state.client = undefined;
    while (!state.isStopped) {
      lost();
      const isConnected = await connect().then(
        () => true,
        () => false,
      );
      if (isConnected) return lost();
      await sleep(reconnectDelayMs);
    }
  };
  const ping = async (): Promise<void> => {
    const { client } = state;
    // Without a listener, cached responses may be stale.
    if (client === undefined) return lost();
    await client.query("select").catch(() => {
      lost();
      // Ends a connection that does not respond, because a hanging server keeps it open; a new one replaces it.
      void client.end().catch(() => {});
    });
  };
  for (let attempt = 1; state.client === undefined; attempt += 1)
    await connect().catch(async (error: unknown) => {
      if (attempt === maxAttempts) throw error;
      await sleep(reconnectDelayMs);
    });
  return {
    catchUp() {
      // Does not share a running query, which may have begun before the commit. Calls that arrive meanwhile share the next one.
      next ??= (current ?? Promise.resolve()).then(async () => {
        current = next;
        next = undefined;
        await ping();
        if (next === undefined) current = undefined;
      });
      return next;
    },
    async stop() {
      state.isStopped = true;
      await state.client?.end();
    },
  };
}
