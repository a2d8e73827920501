import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { random } from "@envs/core";
import { fileBlobs } from "@envs/hub-server/src/platform/blobs/files.ts";
import { connectServer } from "@envs/hub-server/src/platform/database/connect.ts";
import type { Database } from "@envs/hub-server/src/platform/database/tables.ts";
import { testHub } from "@envs/hub-server/testing/hub";
import { startMailServer } from "@envs/hub-server/testing/mail-server";
import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { freePort } from "@envs/hub-server/testing/server-process";
import { expect, test, vi } from "vitest";

import { temporaryFolder } from "./support/command-line.ts";
import { password } from "./support/hub/approver.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import {
  isPublished,
  logIn,
  packRelease,
  publish,
  type Release,
  type User,
} from "./support/hub/publishing.ts";

const [kills, perRound] = [4, 8];
/** The hub sends so many mails at once. */
const mailsInFlight = 4;
const wait = { timeout: 120_000, interval: 1 };

test("a hub that is killed sends the mail of every change, and mirrors whole versions only", async () => {
  await using folder = await temporaryFolder();
  await using store = await postgresDatabase();
  await using smtp = await startMailServer();
  const upstream = await testHub("server", { HUB_HOST: "localhost", HUB_LIMITS: "off" });
  const { token } = await upstream.createUser("lab");
  const port = String(await freePort());
  const start = (): Promise<HubProcess> =>
    startHub({
      data: `${folder.path}/data`,
      args: ["--port", port],
      variables: {
        HUB_REGISTRATION: "open",
        HUB_LIMITS: "off",
        HUB_URL: `http://localhost:${port}`,
        HUB_SMTP_URL: `smtp://localhost:${smtp.port}`,
        HUB_MAIL_FROM: "Envs <hub@example.com>",
        HUB_UPSTREAM: `mirror ${upstream.url} @lab`,
        DATABASE_URL: store.url,
      },
    });
  const ada = await (async () => {
    await using hub = await start();
    return await logIn(hub.url, "ada");
  })();
  const connection = await connectServer(store.url, 2);
  const { database } = connection;
  await database.updateTable("users").set({ email_verified_at: new Date() }).execute();
  const moments = random("hub queues kill");
  const releases: Release[] = [];
  const acknowledged: string[] = [];
  const subjects = (): string[] =>
    smtp.mails.flatMap(({ text }) => /“(token-[\d-]+)”/.exec(text)?.slice(1) ?? []);

  for (let round = 0; round <= kills; round += 1) {
    const isLast = round === kills;
    for (let index = 0; index < perRound; index += 1) {
      const content = `/* ${moments.next()} ${"x".repeat(moments.int(500_000))} */`;
      const release = packRelease(`@lab/package-${index % 4}`, `${round}.${index}.0`, content);
      expect(await publish({ hub: upstream.url, token }, release)).toBe(201);
      releases.push(release);
    }
    await endLeases(database);
    await using hub = await start();
    const [mails, tarballs] = [smtp.mails.length, await countTarballs(database)];
    // Every second kill comes when the server has a mail that the hub believes unsent, the others during the copies.
    const killing = Promise.withResolvers<void>();
    const victim = moments.int(perRound - 2) + 1;
    if (!isLast && round % 2 === 0)
      smtp.onMail = (accept) => {
        if (smtp.mails.length - mails < victim) accept();
        else void hub.kill().then(killing.resolve);
      };
    const changes = Array.from({ length: perRound }, async (_, index) => {
      const name = `token-${round}-${index}`;
      if (await createToken({ ...ada, hub: hub.url }, name)) acknowledged.push(name);
    });
    if (!isLast && round % 2 === 1) {
      await vi.waitUntil(async () => (await countTarballs(database)) >= tarballs + victim, wait);
      await sleep(moments.int(30));
      await hub.kill();
      killing.resolve();
    }
    if (!isLast) await killing.promise;
    await Promise.all(changes);
    delete smtp.onMail;
    await expectWholeTarballs(database, folder.path);
    if (!isLast) continue;

    await vi.waitUntil(async () => (await countTarballs(database)) === releases.length, wait);
    await vi.waitUntil(async () => (await countMails(database)) === 0, wait);
    await upstream.close();
    for (const release of releases) expect(await isPublished(hub.url, release)).toBe(true);
  }

  // A token that was not acknowledged exists with its mail, or not at all.
  const tokens = await database.selectFrom("tokens").select("name").execute();
  const created = tokens.map(({ name }) => name).filter((name) => name.startsWith("token-"));
  expect(new Set(subjects())).toEqual(new Set(created));
  expect(created).toEqual(expect.arrayContaining(acknowledged));
  const repeated = subjects().length - created.length;
  expect(repeated).toBeGreaterThan(0);
  expect(repeated).toBeLessThanOrEqual(kills * mailsInFlight);
  // Receivers recognise a mail that comes again.
  const ids = new Set(smtp.mails.map(({ messageId }) => messageId));
  const texts = new Set(smtp.mails.map(({ text }) => /“token-.*”|address/.exec(text)?.[0]));
  expect(ids.size).toBe(texts.size);
  await connection.close();
});

/** Creates a token, whose notice is a mail. Returns whether the hub acknowledged it. */
async function createToken({ hub, token }: User, name: string): Promise<boolean> {
  const response = await fetch(`${hub}/-/npm/v1/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ name, password }),
  }).catch(() => undefined);
  return response?.status === 200;
}

/** Lets the time pass after which other hubs continue the work of a killed one. */
async function endLeases(database: Database): Promise<void> {
  await database.updateTable("mails").set({ next_at: new Date() }).execute();
  await database.updateTable("mirrors").set({ lease_until: new Date() }).execute();
}

async function countTarballs(database: Database): Promise<number> {
  return (await database.selectFrom("upstream_tarballs").select("name").execute()).length;
}

async function countMails(database: Database): Promise<number> {
  return (await database.selectFrom("mails").select("id").execute()).length;
}

async function expectWholeTarballs(database: Database, folder: string): Promise<void> {
  const blobs = await fileBlobs(`${folder}/data/blobs`);
  for (const row of await database.selectFrom("upstream_tarballs").selectAll().execute()) {
    const bytes = (await blobs.get(row.blob)) ?? "";
    expect(`sha512-${createHash("sha512").update(bytes).digest("base64")}`).toBe(row.integrity);
  }
}
