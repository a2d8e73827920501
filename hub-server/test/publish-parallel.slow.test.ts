import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readSettings } from "../src/platform/config/read-settings.ts";
import { type RunningHub, startHub } from "../src/start.ts";
import { insertUser, type TestUser } from "./support/hub.ts";
import { escapedName } from "./support/package-document.ts";
import { postgresDatabase, type TestDatabase } from "./support/postgres.ts";
import { publishBody } from "./support/publish.ts";

describe("two hubs on one PostgreSQL", () => {
  let folder: string;
  let database: TestDatabase;
  let hubs: readonly [RunningHub, RunningHub];
  let alice: TestUser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "envs-hub-two-"));
    database = await postgresDatabase();
    const settings = readSettings({
      HUB_PORT: "0",
      HUB_LOG: "silent",
      HUB_DATA: folder,
      DATABASE_URL: database.url,
    });
    hubs = await Promise.all([startHub(settings), startHub(settings)]);
    const { hub } = hubs[0];
    alice = await insertUser(hub.database, { name: "alice", now: hub.clock() });
  });
  afterAll(async () => {
    await Promise.all(hubs.map((hub) => hub.close()));
    await database[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const put = async (index: number, path: string, body: unknown): Promise<number> => {
    const { status } = await fetch(`${hubs[index % 2]?.url}${path}`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${alice.token}` },
      body: JSON.stringify(body),
    });
    return status;
  };
  const publish = (index: number, name: string, version: string) =>
    put(index, `/${escapedName(name)}`, publishBody(name, { version, tag: `t${index % 3}` }));
  const versionsOn = async ({ url }: RunningHub, name: string): Promise<string[]> => {
    const response = await fetch(`${url}/${escapedName(name)}`);
    return Object.keys(((await response.json()) as { versions: Record<string, unknown> }).versions);
  };

  test("publish fifty concurrent versions of a new package", async () => {
    const name = "@alice/fifty";
    const versions = Array.from({ length: 50 }, (_, index) => `1.0.${index}`);
    const all = versions.map((version, index) => publish(index, name, version));
    expect(new Set(await Promise.all(all))).toEqual(new Set([201]));
    for (const hub of hubs)
      await expect
        .poll(async () => (await versionsOn(hub, name)).sort())
        .toEqual(versions.toSorted());
    for (const hub of hubs)
      for (const version of ["1.0.0", "1.0.49"]) {
        const tarball = await fetch(`${hub.url}/${name}/-/fifty-${version}.tgz`);
        expect(tarball.status).toBe(200);
      }
  });

  test("accept a version on exactly one of them", async () => {
    const rounds = Array.from({ length: 10 }, (_, index) => `2.0.${index}`);
    const both = rounds.map((version) =>
      Promise.all([0, 1].map((index) => publish(index, "@alice/one", version))),
    );
    for (const statuses of await Promise.all(both)) expect(statuses.sort()).toEqual([201, 409]);
  });

  test("do not deadlock on workspaces that share packages", async () => {
    const names = ["@alice/a", "@alice/b", "@alice/c"];
    const batch = (index: number): Promise<number> => {
      const inOrder = index % 2 === 0 ? names : names.toReversed();
      const packages = inOrder.map((name) => publishBody(name, { version: `1.0.${index}` }));
      return put(index, "/-/pnpr/v0/publish", { packages });
    };
    const tag = (index: number): Promise<number> =>
      put(index, `/-/package/${escapedName(names[index % 3] ?? "")}/dist-tags/latest`, "1.0.0");
    expect(await batch(0)).toBe(201);
    const all = Array.from({ length: 16 }, (_, index) => [batch(index + 1), tag(index)]);
    expect(new Set(await Promise.all(all.flat()))).toEqual(new Set([201]));
    for (const name of names) await expect.poll(() => versionsOn(hubs[0], name)).toHaveLength(17);
  });

  test("serve each other's versions and count downloads together", async () => {
    const name = "@alice/seen";
    for (const [index, version] of ["1.0.0", "1.0.1", "1.0.2"].entries()) {
      expect(await publish(index, name, version)).toBe(201);
      for (const hub of hubs) {
        await expect.poll(() => versionsOn(hub, name)).toHaveLength(index + 1);
        const tarball = await fetch(`${hub.url}/${name}/-/seen-${version}.tgz`);
        expect((await tarball.arrayBuffer()).byteLength).toBeGreaterThan(0);
      }
    }
    const entry = hubs[0].hub.database
      .selectFrom("search_entries")
      .where("name", "=", name)
      .select("downloads");
    await expect.poll(() => entry.executeTakeFirst()).toEqual({ downloads: 6 });
  });
});
