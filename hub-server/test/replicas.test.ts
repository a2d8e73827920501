import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { readSettings } from "../src/platform/config/read-settings.ts";
import { type RunningHub, startHub } from "../src/start.ts";
import { insertUser, type TestUser } from "./support/hub.ts";
import { type TestNetwork, testNetwork } from "./support/network.ts";
import { postgresDatabase, type TestDatabase } from "./support/postgres.ts";
import { publish } from "./support/publish.ts";

let database: TestDatabase;
let network: TestNetwork;
let folder: string;
/** `far` reaches PostgreSQL through the network. */
let near: RunningHub;
let far: RunningHub;
let ada: TestUser;

beforeAll(async () => {
  database = await postgresDatabase();
  network = await testNetwork(database.url);
  folder = await mkdtemp(join(tmpdir(), "envs-replicas-"));
  const start = (url: string) =>
    startHub(
      readSettings({
        HUB_PORT: "0",
        HUB_HOST: "127.0.0.1",
        HUB_LOG: "silent",
        HUB_DATA: folder,
        HUB_LIMITS: "off",
        DATABASE_URL: url,
        DATABASE_CONNECTIONS: "4",
      }),
    );
  near = await start(database.url);
  far = await start(network.url);
  ada = await insertUser(near.hub.database, { name: "ada", now: new Date() });
});
afterAll(async () => {
  await far.close();
  await near.close();
  await network[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface RequestOptions {
  readonly method?: string | undefined;
  readonly body?: unknown;
  readonly as?: { readonly token: string } | undefined;
}

function request(
  { url }: RunningHub,
  path: string,
  { method = "GET", body, as }: RequestOptions = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(as !== undefined && { authorization: `Bearer ${as.token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const publishTo = (hub: RunningHub, name: string, version: string): Promise<Response> =>
  publish({ request: (path, options) => request(hub, path, options) }, name, { as: ada, version });

async function versionsOf(hub: RunningHub, name: string): Promise<readonly string[]> {
  const response = await request(hub, `/${name.replace("/", "%2f")}`);
  const { versions = {} } = (await response.json()) as { versions?: Record<string, unknown> };
  return Object.keys(versions);
}

describe("two replicas on one PostgreSQL", () => {
  test("a replica far from PostgreSQL serves a version that the other has just acknowledged", async () => {
    network.delay(20);
    for (let patch = 0; patch < 10; patch += 1) {
      expect((await publishTo(near, "@ada/shared", `1.0.${patch}`)).status).toBe(201);
      // The first read of each round finds the packument of the previous round in the cache.
      expect(await versionsOf(far, "@ada/shared")).toContain(`1.0.${patch}`);
    }
    network.delay(0);
  });

  test("a search on one replica finds a package that the other has just acknowledged", async () => {
    const find = async (): Promise<number> => {
      const response = await request(far, "/-/v1/search?text=sought");
      return ((await response.json()) as { total: number }).total;
    };
    expect(await find()).toBe(0);
    network.delay(20);
    await publishTo(near, "@ada/sought", "1.0.0");
    expect(await find()).toBe(1);
    network.delay(0);
  });
});

describe("a hub whose PostgreSQL is unreachable", () => {
  const reads = [
    "/@ada%2fshared",
    "/@ada%2fshared/latest",
    "/@ada%2fshared/-/shared-1.0.0.tgz",
    "/-/package/@ada%2fshared/dist-tags",
    "/-/v1/search?text=shared",
    "/-/whoami",
    "/-/npm/v1/keys",
    "/-/events?since=0",
    "/api/v1/environments",
    "/api/v1/packages/@ada%2fshared",
    "/readyz",
  ];

  test.each(reads)("returns 503 with Retry-After for GET %s", async (path) => {
    network.cut();
    const response = await request(far, path, { as: ada });
    network.restore();
    expect([response.status, Number(response.headers.get("retry-after"))]).toEqual([503, 5]);
    const { code } = (await response.json()) as { code: string };
    expect(["database-unavailable", "not-ready"]).toContain(code);
  });

  test("returns 503 with Retry-After for a publish, and accepts it again without a restart", async () => {
    await expect.poll(async () => (await request(far, "/readyz")).status).toBe(200);
    network.cut();
    const response = await publishTo(far, "@ada/late", "1.0.0");
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    network.restore();
    await expect.poll(async () => (await publishTo(far, "@ada/late", "1.0.0")).status).toBe(201);
    // The listening connection is back too: the other replica's changes reach this one.
    expect(await versionsOf(far, "@ada/late")).toEqual(["1.0.0"]);
    await publishTo(near, "@ada/late", "1.0.1");
    expect(await versionsOf(far, "@ada/late")).toEqual(["1.0.0", "1.0.1"]);
  });

  test("does not serve cached packuments of packages that changed while it could not listen", async () => {
    expect(await versionsOf(far, "@ada/shared")).not.toContain("2.0.0");
    network.cut();
    await publishTo(near, "@ada/shared", "2.0.0");
    network.restore();
    await vi.waitUntil(async () => (await request(far, "/readyz")).ok, { timeout: 120_000 });
    expect(await versionsOf(far, "@ada/shared")).toContain("2.0.0");
  });

  test("reports that its own process is alive while PostgreSQL does not respond", async () => {
    network.hang();
    expect((await request(far, "/healthz")).status).toBe(200);
    network.restore();
  });
});
