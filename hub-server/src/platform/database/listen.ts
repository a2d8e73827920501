import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

/** Callbacks for a channel of PostgreSQL notifications. */
export interface Listener {
  readonly message: (payload: string) => void;
  /** Called when the connection was lost and notifications may have been missed. */
  readonly lost: () => void;
}

/** Listens on a separate connection and reconnects every 500 ms after a loss. */
export async function listenTo(
  url: string,
  channel: string,
  { message, lost }: Listener,
): Promise<{ readonly stop: () => Promise<void> }> {
  const state: { stopped: boolean; client?: pg.Client } = { stopped: false };
  const connect = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    client.on("notification", ({ payload }) => message(payload ?? ""));
    client.on("error", () => {});
    await client.connect();
    client.once("end", () => void reconnect());
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    state.client = client;
  };
  const reconnect = async (): Promise<void> => {
    if (state.stopped) return;
    lost();
    const isConnected = await connect().then(
      () => true,
      () => false,
    );
    if (isConnected) return lost();
    await sleep(500);
    await reconnect();
  };
  await connect();
  return {
    async stop() {
      state.stopped = true;
      await state.client?.end();
    },
  };
}
