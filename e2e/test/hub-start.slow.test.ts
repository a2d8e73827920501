import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { expect, test } from "vitest";

import { startDatabaseProxy } from "./soak/database-proxy.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { startHub } from "./support/hub/process.ts";

test("a hub whose database becomes unreachable during the start goes on", async () => {
  await using database = await postgresDatabase();
  // The hub asks for an administrator after it has printed its address.
  await using proxy = await startDatabaseProxy(database.url, { disconnectAt: `"is_admin" =` });
  await using folder = await temporaryFolder();
  await using hub = await startHub({ data: folder.path, variables: { DATABASE_URL: proxy.url } });
  const health = async () => (await fetch(`${hub.url}/-/ping`)).status;

  expect(hub.invitation).toBeUndefined();
  expect(await health()).toBe(200);
  proxy.reconnect();
  await expect.poll(async () => (await fetch(`${hub.url}/@envs%2fmissing`)).status).toBe(404);
});
