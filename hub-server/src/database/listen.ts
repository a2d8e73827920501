import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

import type { Listener } from "./connect.ts";

/** Listens on a connection of its own, and connects again for as long as it takes. */
export async function listenTo(
  url: string,
  channel: string,
  { message, lost }: Listener,
): Promise<{ readonly stop: () => Promise<void> }> {
  let stopped = false;
  let current: pg.Client | undefined;
  const connect = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    client.on("notification", ({ payload }) => message(payload ?? ""));
    client.on("error", () => {});
    client.once("end", () => void reconnect());
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    current = client;
  };
  const reconnect = async (): Promise<void> => {
    current = undefined;
    while (!stopped && current === undefined) {
      lost();
      await connect().catch(() => sleep(500));
    }
    if (!stopped) lost();
  };
  await connect();
  return {
    async stop() {
      stopped = true;
      await current?.end();
    },
  };
}
