import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { firstAccountLink } from "../src/identity/accounts/first-account.ts";
import { examine } from "../src/operations/doctor/examine.ts";
import { verifyBlobs } from "../src/operations/verify-blobs.ts";
import { s3Blobs } from "../src/platform/blobs/s3.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import { connectServer } from "../src/platform/database/connect.ts";
import { type RunningHub, startHub } from "../src/start.ts";
import { browser } from "./support/browser.ts";
import { password } from "./support/person.ts";
import { postgresDatabase, type TestDatabase } from "./support/postgres.ts";
import { publishOrThrow } from "./support/publish.ts";
import { s3Bucket } from "./support/s3.ts";
import { freePort } from "./support/server-process.ts";
import { type TlsProxy, tlsProxy } from "./support/tls-proxy.ts";

// The path of docs/guides/operate-a-hub.md: TLS, PostgreSQL, a bucket, two replicas, backup, restore, and a rolling restart.
describe("two replicas on PostgreSQL and a bucket, behind a proxy with TLS", () => {
  const stack = new AsyncDisposableStack();
  let proxy: TlsProxy;
  let database: TestDatabase;
  let variables: Record<string, string>;
  let replicas: RunningHub[];
  let urls: string[];
  let token: string;

  /** A URL that only the proxy knows, because `url` of a hub with HUB_URL is that of the proxy. */
  const startReplica = async (changes: Readonly<Record<string, string>> = {}) => {
    const HUB_PORT = String(await freePort());
    const hub = stack.use(await startHub(readSettings({ ...variables, HUB_PORT, ...changes })));
    return { hub, url: `http://127.0.0.1:${HUB_PORT}` };
  };
  const get = (path: string) =>
    fetch(`${proxy.url}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  const server = () => ({
    request: (path: string, { method = "GET", body }: { method?: string; body?: unknown } = {}) =>
      fetch(`${proxy.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  });

  beforeAll(async () => {
    proxy = stack.use(await tlsProxy());
    database = stack.use(await postgresDatabase());
    const folder = await mkdtemp(join(tmpdir(), "envs-operate-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    variables = {
      HUB_HOST: "127.0.0.1",
      HUB_LOG: "error",
      HUB_DATA: folder,
      HUB_URL: proxy.url,
      HUB_TRUST_PROXY: "127.0.0.1,::1",
      DATABASE_URL: database.url,
      HUB_BLOBS: await s3Bucket(),
    };
    const started = [await startReplica(), await startReplica()];
    replicas = started.map(({ hub }) => hub);
    urls = started.map(({ url }) => url);
    proxy.replicas = urls;
  });
  afterAll(() => stack.disposeAsync());

  test("passes the checks of envs-hub doctor, apart from the durability of the tests' PostgreSQL", async () => {
    const findings = await examine(readSettings(variables));
    expect(
      findings.filter(
        ({ check, level, message }) =>
          level !== "ok" && check !== "database durability" && !message.endsWith(" ms"),
      ),
    ).toEqual([]);
    expect(findings.find(({ check }) => check === "proxy")?.message).toMatch(/sees https/);
  });

  test("creates the first account by a link, with cookies that only TLS carries", async () => {
    const link = await firstAccountLink(replicas[0]!.hub);
    const tab = browser({ url: proxy.url });
    const page = await tab.open(link!);
    expect(page.headers.get("strict-transport-security")).toBeTruthy();
    await tab.press("Create account", { Name: "ada", Password: password });
    expect((await tab.open("/settings")).status).toBe(200);
    expect([...tab.cookies.keys()]).toContain("__Host-envs-session");
    const login = await fetch(`${proxy.url}/-/user/org.couchdb.user:ada`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "ada", password }),
    });
    ({ token } = (await login.json()) as { token: string });
  });

  test("publishes through one replica and installs through both, by https URLs", async () => {
    await publishOrThrow(server() as never, "@ada/hello", { as: { id: 0, name: "ada", token } });
    for (const url of [...urls, ...urls]) {
      proxy.replicas = [url];
      const { dist } = (await (await get("/@ada/hello/latest")).json()) as {
        dist: { tarball: string };
      };
      expect(dist.tarball).toBe(`${proxy.url}/@ada/hello/-/hello-1.0.0.tgz`);
      expect((await fetch(dist.tarball)).status).toBe(200);
    }
    proxy.replicas = urls;
  });

  test("serves every request while one replica after the other restarts", async () => {
    const statuses = new Set<number>();
    const end = new AbortController();
    const client = async (): Promise<void> => {
      while (!end.signal.aborted) statuses.add((await get("/@ada%2fhello")).status);
    };
    const clients = [client(), client()];
    for (const index of [0, 1]) {
      // As a proxy that reads /readyz does.
      proxy.replicas = urls.filter((_, other) => other !== index);
      await replicas[index]!.close();
      const { hub, url } = await startReplica();
      [replicas[index], urls[index]] = [hub, url];
      proxy.replicas = [...urls];
    }
    end.abort();
    await Promise.all(clients);
    expect([...statuses]).toEqual([200]);
  });

  test("continues on a copy of the database and the bucket", async () => {
    for (const hub of replicas) await hub.close();
    // The packages of npm do not contain pg_dump.
    const copy = `${new URL(database.url).pathname.slice(1)}_copy`;
    const admin = new pg.Client(database.url.replace(/[^/]*$/, "postgres"));
    await admin.connect();
    await admin.query(
      `create database ${copy} template ${new URL(database.url).pathname.slice(1)}`,
    );
    stack.defer(async () => {
      await admin.query(`drop database ${copy} with (force)`);
      await admin.end();
    });
    const [from, bucket] = [s3Blobs(variables["HUB_BLOBS"]!), await s3Bucket()];
    const to = s3Blobs(bucket);
    for await (const { key } of from.list()) await to.put(key, (await from.get(key))!);
    const url = database.url.replace(/[^/]*$/, copy);
    const connection = await connectServer(url, 1);
    const { database: tables } = connection;
    expect(await verifyBlobs({ database: tables, blobs: to })).toMatchObject({
      blobs: 1,
      damaged: [],
    });
    await connection.close();
    const restored = await startReplica({ DATABASE_URL: url, HUB_BLOBS: bucket });
    proxy.replicas = [restored.url];
    expect(await (await get("/-/whoami")).json()).toEqual({ username: "ada" });
    expect((await get("/@ada/hello/-/hello-1.0.0.tgz")).status).toBe(200);
    await restored.hub.close();
  });
});
