import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

/** Who hears what replicas say to each other. */
export interface Listener {
  readonly message: (payload: string) => void;
  readonly lost: () => void;
}

/** Listens on a connection of its own, and connects again for as long as it takes. */
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
    const again = await connect().then(
      () => true,
      () => false,
    );
    if (again) return lost();
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
