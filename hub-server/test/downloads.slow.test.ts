import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";

import { fileBlobs } from "../src/platform/blobs/files.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import { connectEmbedded } from "../src/platform/database/connect.ts";
import { openEmbedded } from "../src/platform/database/embedded.ts";
import type { Database } from "../src/platform/database/tables.ts";
import { startHub } from "../src/start.ts";
import { databases } from "./support/hub.ts";
import { publishOrThrow } from "./support/publish.ts";
import { rawRequest } from "./support/raw-request.ts";
import { seedPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const dayMilliseconds = 86_400_000;

/** A package's download counts by version and day. */
async function countsOf(database: Database, name: string) {
  return await database
    .selectFrom("downloads")
    .innerJoin("versions", "versions.id", "downloads.version_id")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .where("packages.name", "=", name)
    .orderBy("day")
    .orderBy("version")
    .select(["version", "day", "count"])
    .execute();
}

describe.each(databases)("downloads on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LOG: "silent" });
  const alice = sharedUser(server, "alice");

  const today = () => server.hub.clock().toISOString().slice(0, 10);
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(`${server.url}${path}`, headers);

  test("are counted by version and day, and for search", async () => {
    const name = "@alice/counted";
    for (const version of ["1.0.0", "1.1.0"])
      await publishOrThrow(server, name, { as: alice, version });
    const first = today();
    for (const version of ["1.0.0", "1.1.0", "1.1.0"])
      await get(`/@alice/counted/-/counted-${version}.tgz`);
    server.advanceClock(dayMilliseconds);
    const second = today();
    await get("/@alice%2fcounted/-/counted-1.1.0.tgz");
    await vi.waitFor(
      async () =>
        expect(await countsOf(server.hub.database, name)).toEqual([
          { version: "1.0.0", day: first, count: 1 },
          { version: "1.1.0", day: first, count: 2 },
          { version: "1.1.0", day: second, count: 1 },
        ]),
      { timeout: 120_000 },
    );
    await get("/@alice/counted/-/counted-1.1.0.tgz");
    await vi.waitFor(
      async () =>
        expect((await countsOf(server.hub.database, name)).at(-1)).toMatchObject({ count: 2 }),
      { timeout: 120_000 },
    );
    const entry = server.hub.database
      .selectFrom("search_entries")
      .where("name", "=", name)
      .select("downloads");
    expect(await entry.executeTakeFirst()).toEqual({ downloads: 5 });
  });

  test("are counted only for responses with a tarball", async () => {
    const name = "@alice/exact";
    await publishOrThrow(server, name, { as: alice, access: "restricted" });
    const path = "/@alice/exact/-/exact-1.0.0.tgz";
    const authorization = `Bearer ${alice.token}`;
    const whole = await get(path, { authorization });
    await get(path, { authorization, method: "HEAD" });
    await get(path, { authorization, "if-none-match": String(whole.headers["etag"]) });
    await get(path);
    await get("/@alice/exact/-/exact-2.0.0.tgz", { authorization });
    await get("/@alice%2fexact", { authorization });
    // The hub writes counts in order: once this download is stored, the earlier ones are, too.
    await publishOrThrow(server, "@alice/last", { as: alice });
    await get("/@alice/last/-/last-1.0.0.tgz");
    await vi.waitFor(
      async () =>
        expect(await countsOf(server.hub.database, "@alice/last")).toMatchObject([{ count: 1 }]),
      { timeout: 120_000 },
    );
    expect(await countsOf(server.hub.database, name)).toMatchObject([{ count: 1 }]);
  });

  test("are kept in memory until the database can store them", async () => {
    const { database } = server.hub;
    const name = "@alice/kept";
    await publishOrThrow(server, name, { as: alice });
    await sql`alter table downloads rename to downloads_away`.execute(database);
    for (const _again of [1, 2, 3]) await get("/@alice/kept/-/kept-1.0.0.tgz");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await get("/@alice/kept/-/kept-1.0.0.tgz");
    await sql`alter table downloads_away rename to downloads`.execute(database);
    await vi.waitFor(
      async () => expect(await countsOf(database, name)).toMatchObject([{ count: 4 }]),
      { timeout: 120_000 },
    );
  });
});

test("writes pending downloads when the hub closes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-hub-downloads-"));
  const connection = await connectEmbedded(await openEmbedded());
  const close = vi.fn<() => Promise<void>>(async () => {});
  try {
    const server = await startHub(readSettings({ HUB_PORT: "0", HUB_LOG: "error" }), {
      connection: { ...connection, close },
      blobs: await fileBlobs(join(folder, "blobs")),
    });
    const { database, clock } = server.hub;
    const now = clock();
    const account = await database
      .insertInto("accounts")
      .values({ name: "alice", kind: "user", created_at: now })
      .returning("id")
      .executeTakeFirstOrThrow();
    const tarball = Buffer.from("a tarball");
    await database
      .insertInto("users")
      .values({ account_id: account.id, updated_at: now })
      .execute();
    const versions = [{ version: "1.0.0", tarball }];
    await seedPackage(server.hub, "@alice/last", { owner: account, versions });
    await rawRequest(`${server.url}/@alice/last/-/last-1.0.0.tgz`);
    await server.close();
    expect(close).toHaveBeenCalledOnce();
    expect(await countsOf(database, "@alice/last")).toMatchObject([{ count: 1 }]);
  } finally {
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  }
});
