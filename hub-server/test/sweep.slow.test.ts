import { createHash } from "node:crypto";

import { sql } from "kysely";
import { beforeAll, describe, expect, test, vi } from "vitest";

import { sweepBlobs } from "../src/operations/sweep-blobs.ts";
import { sweep } from "../src/operations/sweep.ts";
import type { BlobStore } from "../src/platform/blobs/blob-store.ts";
import { testHub } from "./support/hub.ts";
import { escapedName, readDocument } from "./support/package-document.ts";
import { publish, publishBody, type PublishOptions, publishOrThrow } from "./support/publish.ts";
import { s3Bucket } from "./support/s3.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const hour = 3_600_000;
const day = 24 * hour;

describe.each([
  ["files", "embedded"],
  ["files", "server"],
  ["S3", "server"],
] as const)("the sweep of blobs in %s, on the %s database", (store, kind) => {
  const server = sharedHub(kind, async () =>
    store === "S3" ? { HUB_BLOBS: await s3Bucket() } : {},
  );
  const ada = sharedUser(server, "ada");
  beforeAll(async () => {
    await publishOrThrow(server, "@ada/kept", { as: ada });
  });

  const stage = async (name: string, options: Omit<PublishOptions, "as"> = {}) => {
    const path = `/-/stage/package/${escapedName(name)}`;
    const body = publishBody(name, options);
    const response = await server.request(path, { method: "POST", as: ada, body });
    expect(response.status).toBe(201);
    return ((await response.json()) as { stageId: string }).stageId;
  };
  const reject = async (id: string): Promise<void> => {
    const response = await server.request(`/-/stage/${id}`, { method: "DELETE", as: ada });
    expect(response.status).toBe(200);
  };
  const putOrphan = async (text: string): Promise<number> => {
    const bytes = Buffer.from(text);
    await server.hub.blobs.put(createHash("sha512").update(bytes).digest("hex"), bytes);
    return bytes.length;
  };
  /** Downloads a tarball. Returns the status, and whether the bytes equal the published ones. */
  const installation = async (name: string): Promise<readonly [number, boolean]> => {
    const file = `${name.slice(name.indexOf("/") + 1)}-1.0.0.tgz`;
    const response = await server.request(`/${name}/-/${file}`);
    const bytes = Buffer.from(await response.arrayBuffer()).toString("base64");
    return [response.status, bytes === Object.values(publishBody(name, {})._attachments)[0]?.data];
  };
  const whole = [200, true];

  test("deletes blobs that were unreferenced for a day and keeps the others", async () => {
    const pendingId = await stage("@ada/waits");
    const lateId = await stage("@ada/late");
    await reject(await stage("@ada/rejected"));
    await publishOrThrow(server, "@ada/gone", { as: ada });
    const { _rev } = await readDocument(server, "@ada/gone", ada);
    const path = `/${escapedName("@ada/gone")}/-rev/${_rev}`;
    expect((await server.request(path, { method: "DELETE", as: ada })).status).toBe(200);
    const orphanBytes = await putOrphan("of a publish that died");

    server.advanceClock(hour);
    const none = { count: 0, bytes: 0 };
    expect((await sweepBlobs(server.hub)).blobs).toEqual(none);
    server.advanceClock(2 * day);
    await reject(lateId);
    const plan = await sweepBlobs(server.hub, { isDry: true });
    expect([plan.blobs.count, plan.kept.count]).toEqual([3, 3]);
    expect(plan.blobs.bytes).toBeGreaterThan(orphanBytes);
    expect(await sweepBlobs(server.hub)).toEqual(plan);
    expect((await sweepBlobs(server.hub)).blobs).toEqual(none);
    // A rejected blob stays for a day after its rejection, regardless of its age.
    server.advanceClock(2 * day);
    expect((await sweepBlobs(server.hub)).blobs.count).toBe(1);

    const approved = await server.request(`/-/stage/${pendingId}/approve`, {
      method: "POST",
      as: ada,
    });
    expect(approved.status).toBe(201);
    for (const name of ["@ada/kept", "@ada/waits"]) expect(await installation(name)).toEqual(whole);
    expect((await installation("@ada/gone"))[0]).toBe(404);
    await publishOrThrow(server, "@ada/rejected", { as: ada });
    expect(await installation("@ada/rejected")).toEqual(whole);
  });

  test("keeps a blob that is published again during the sweep", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `@ada/again-${index}`);
    for (const name of names) await reject(await stage(name));
    server.advanceClock(2 * day);
    const [, ...all] = await Promise.all([
      sweepBlobs(server.hub),
      ...names.map((name) => publishOrThrow(server, name, { as: ada })),
      sweepBlobs(server.hub),
    ]);
    expect(all).toHaveLength(names.length + 1);
    await sweepBlobs(server.hub);
    for (const name of names) expect(await installation(name)).toEqual(whole);
    server.advanceClock(2 * day);
    await sweep(server.hub);
    const claims = await server.hub.database.selectFrom("blob_claims").selectAll().execute();
    expect(claims).toEqual([]);
  });

  test.runIf(kind === "server")("a publish waits for the deletion of its blob", async () => {
    const name = "@ada/raced";
    await reject(await stage(name));
    server.advanceClock(2 * day);
    const [deleting, unblock] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: BlobStore = {
      ...server.hub.blobs,
      async delete(key) {
        deleting.resolve();
        await unblock.promise;
        await server.hub.blobs.delete(key);
      },
    };
    const sweeping = sweepBlobs({ ...server.hub, blobs: slow });
    await deleting.promise;
    let isAnswered = false;
    const publishing = publish(server, name, { as: ada }).finally(() => (isAnswered = true));
    await vi.waitUntil(async () => isAnswered || (await lockWaits()) > 0, { timeout: 120_000 });
    unblock.resolve();
    expect((await sweeping).blobs.count).toBeGreaterThan(0);
    expect((await publishing).status).toBe(201);
    expect(await installation(name)).toEqual(whole);
  });

  /** Counts the sessions of this database that wait for a lock. */
  async function lockWaits(): Promise<number> {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(server.hub.database);
    return rows.length;
  }
});

test("removes nothing from another hub's blob store", async () => {
  await using server = await testHub("server");
  const { database, blobs, clock } = server.hub;
  await blobs.put("ab".repeat(64), Buffer.from("another hub's"));
  server.advanceClock(2 * day);
  const run = () => sweepBlobs({ database, blobs, clock });
  await expect(run).rejects.toThrow("because it has no versions");
  // Seeded without a tarball: the store does not contain the blob of this version.
  await seedOwnPackage(server.hub, await server.createUser("ada"));
  await expect(run).rejects.toThrow(
    "lacks the newest version in the database, so it belongs to another hub",
  );
  expect(await Array.fromAsync(blobs.list())).toHaveLength(1);
});
