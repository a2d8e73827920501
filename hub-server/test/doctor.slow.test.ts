import { once } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { run } from "../src/commands/doctor.ts";
import { examine } from "../src/operations/doctor/examine.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import { type RunningHub, startHub } from "../src/start.ts";
import { startMailServer } from "./support/mail-server.ts";
import { postgresDatabase, type TestDatabase } from "./support/postgres.ts";
import { s3Bucket } from "./support/s3.ts";
import { freePort } from "./support/server-process.ts";

let database: TestDatabase;
let hub: RunningHub;
let variables: Record<string, string>;

beforeAll(async () => {
  database = await postgresDatabase();
  variables = {
    HUB_HOST: "127.0.0.1",
    HUB_PORT: "0",
    HUB_LOG: "silent",
    HUB_DATA: join(tmpdir(), "envs-doctor-absent"),
    DATABASE_URL: database.url,
    HUB_BLOBS: await s3Bucket(),
  };
  hub = await startHub(readSettings(variables));
});
afterAll(async () => {
  await hub.close();
  await database[Symbol.asyncDispose]();
});

const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The results that are not `ok`: level, check and message. Without times, and without the durability of the tests' PostgreSQL. */
async function problems(changes: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const settings = readSettings({ ...variables, HUB_URL: hub.url, ...changes });
  const findings = await examine(settings);
  for (const { level, remedy } of findings) expect(remedy === undefined).toBe(level === "ok");
  return findings
    .filter(
      ({ check, level, message }) => level !== "ok" && !/ ms$|durability/.test(check + message),
    )
    .map(({ check, level, message }) => `${level} ${check}: ${message}`);
}

test("finds nothing wrong with a hub that works", async () => {
  const provider = createServer((_incoming, outgoing) =>
    outgoing.end(JSON.stringify({ issuer: urlOf(provider).replace("127.0.0.1", "localhost") })),
  ).listen(0, "localhost");
  await once(provider, "listening");
  const { port } = provider.address() as AddressInfo;
  expect(
    await problems({
      HUB_UPSTREAM: `proxy ${hub.url} @envs`,
      HUB_SIGN_IN_PROVIDERS: `company http://localhost:${port} hub secret`,
    }),
  ).toEqual([]);
  provider.close();
});

test("prints lines or JSON, and exits with 1 for an error", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { exitCode } = process;
  const output = async (port: string, ...args: string[]) => {
    process.exitCode = 0;
    write.mockClear();
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    vi.stubEnv("HUB_PORT", port);
    await run(args);
    return [process.exitCode, write.mock.calls.map(String).join("")] as const;
  };
  try {
    const [code, text] = await output(new URL(hub.url).port);
    expect(text).toMatch(/^ok +database: PostgreSQL \d/m);
    // The PostgreSQL of the tests syncs nothing.
    expect(text).toMatch(/^error +database durability: fsync is off: .*\n +Set fsync = on/m);
    expect(code).toBe(1);
    const [failed, json] = await output(String(await freePort()), "--json");
    const { findings } = JSON.parse(json) as { findings: { check: string; level: string }[] };
    expect([failed, findings.find(({ check }) => check === "url")]).toMatchObject([
      1,
      { level: "error", remedy: expect.stringContaining("Start the hub") },
    ]);
  } finally {
    write.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = exitCode;
  }
});

test("finds unsafe settings", async () => {
  const found = await problems({
    HUB_URL: "http://hub.invalid",
    HUB_REGISTRATION: "open",
    HUB_LIMITS: "off",
    HUB_SIGSTORE_ROOT: "/absent/root.json",
  });
  expect(found).toEqual([
    expect.stringContaining("warning settings: HUB_URL is http://hub.invalid"),
    "warning settings: Every visitor can create an account.",
    expect.stringContaining("warning settings: HUB_LIMITS is off"),
    expect.stringContaining("error provenance: ENOENT"),
    expect.stringMatching(/^error url: .*hub\.invalid/),
  ]);
});

test("finds a database and services that are unreachable", async () => {
  const port = await freePort();
  const found = await problems({
    DATABASE_URL: `postgres://hub:secret@127.0.0.1:${port}/hub`,
    HUB_UPSTREAM: `proxy http://127.0.0.1:${port} @envs`,
    HUB_SIGN_IN_PROVIDERS: `company http://localhost:${port} hub secret`,
  });
  expect(found).toEqual([
    expect.stringMatching(/^error database: .*ECONNREFUSED/),
    expect.stringMatching(/^error upstream .*ECONNREFUSED/),
    expect.stringMatching(/^error sign-in provider company: .*ECONNREFUSED/),
  ]);
  expect(found.join()).not.toContain("secret");
  expect(await problems({ HUB_BLOBS: `s3://absent?endpoint=http://127.0.0.1:${port}` })).toEqual([
    expect.stringContaining("error blob store: "),
  ]);
});

test("finds a mail server that is unreachable, rejects the password, or has an unknown certificate", async () => {
  await using plain = await startMailServer(0, { password: "right" });
  await using secure = await startMailServer(0, { hasTls: true });
  const mail = async (address: string, options = "") =>
    await problems({
      HUB_SMTP_URL: `smtp://${address}/${options}`,
      HUB_MAIL_FROM: "hub@example.com",
    });
  expect(await mail(`hub:right@localhost:${plain.port}`)).toEqual([]);
  expect(await mail(`localhost:${secure.port}`, "?tls.rejectUnauthorized=false")).toEqual([]);
  const found = await mail(`hub:secret@localhost:${plain.port}`);
  expect(found).toEqual([expect.stringMatching(/^error mail: Invalid login: 535/)]);
  expect(found.join()).not.toContain("secret");
  expect(await mail(`localhost:${secure.port}`)).toEqual([
    expect.stringMatching(/^error mail: .*certificate/),
  ]);
  expect(await mail(`localhost:${await freePort()}`)).toEqual([
    expect.stringMatching(/^error mail: .*ECONNREFUSED/),
  ]);
  expect([plain.mails, secure.mails]).toEqual([[], []]);
});

test("finds a wrong storage total, migrations of another version of the hub, and missing ones", async () => {
  const { database: tables } = hub.hub.connection;
  await sql`insert into accounts (name, kind, created_at, stored_bytes) values ('ada', 'user', now(), 5)`.execute(
    tables,
  );
  expect(await problems()).toEqual(["error storage totals: ada has 0 bytes, not 5."]);
  await sql`delete from accounts where name = 'ada'`.execute(tables);
  await sql`insert into migrations (name, hash) values ('9999-later.sql', '')`.execute(tables);
  expect(await problems()).toEqual([
    expect.stringContaining("error migrations: This database has the migration 9999-later.sql"),
  ]);
  await sql`delete from migrations where name > '0009'`.execute(tables);
  expect(await problems()).toEqual([
    expect.stringMatching(/^warning migrations: the database lacks .*0012-upstream\.sql/),
  ]);
});

test("finds a proxy that hides the host and the protocol, and another program", async () => {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: "inside", "x-forwarded-proto": "https" };
    const target = httpRequest(`${hub.url}${incoming.url}`, { headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    target.end();
  }).listen(0, "127.0.0.1");
  const other = createServer((_incoming, outgoing) => outgoing.end("hello")).listen(0, "127.0.0.1");
  await Promise.all([once(proxy, "listening"), once(other, "listening")]);
  expect(await problems({ HUB_URL: urlOf(proxy) })).toContainEqual(
    expect.stringContaining("warning proxy: The hub sees the host inside"),
  );
  expect(await problems({ HUB_URL: urlOf(other) })).toContainEqual(
    expect.stringContaining("error url: Another program responds"),
  );
  proxy.close();
  other.close();
});

test("does not create the data folder of a hub that has not started yet", async () => {
  const settings = readSettings({ HUB_DATA: variables["HUB_DATA"]!, HUB_PORT: "1" });
  const findings = await examine(settings);
  expect(findings.map(({ check, level }) => `${level} ${check}`)).toEqual([
    "ok runtime",
    "ok settings",
    "ok database",
    "error disk",
    "error url",
    "ok sandbox",
  ]);
});
