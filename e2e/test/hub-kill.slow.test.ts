import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { random } from "@envs/core";
import { connectServer } from "@envs/hub-server/src/platform/database/connect.ts";
import type { Database } from "@envs/hub-server/src/platform/database/tables.ts";
import { testHub } from "@envs/hub-server/testing/hub";
import { startMailServer } from "@envs/hub-server/testing/mail-server";
import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { publishOrThrow } from "@envs/hub-server/testing/publish";
import { expect, test, vi } from "vitest";

import { clients } from "./support/clients.ts";
import { startClient } from "./support/clients/client.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { startHub } from "./support/hub/process.ts";
import {
  isPublished,
  logIn,
  packRelease,
  publish,
  type Release,
} from "./support/hub/publishing.ts";

const [packages, versions, kills] = [10, 5, 5];

async function openDatabase(kind: string): Promise<{ url?: string } & AsyncDisposable> {
  if (kind === "embedded") return { [Symbol.asyncDispose]: async () => {} };
  return postgresDatabase();
}

test.each(["embedded", "PostgreSQL"])(
  "keeps acknowledged versions and publishes no partial ones when it is killed (%s)",
  { timeout: 240_000 },
  async (kind) => {
    await using folder = await temporaryFolder();
    await using store = await openDatabase(kind);
    const moments = random("hub kill", kind);
    const variables = {
      HUB_REGISTRATION: "open",
      ...(store.url !== undefined && { DATABASE_URL: store.url }),
    };
    const start = () => startHub({ data: `${folder.path}/data`, variables });
    const { token } = await (async () => {
      await using hub = await start();
      return await logIn(hub.url, "ada");
    })();

    let pending = Array.from({ length: packages * versions }, (_, index) => {
      const [name, number] = [`@ada/package-${index % packages}`, Math.floor(index / packages)];
      // Varies the size, so that some writes take longer.
      const content = `/* ${moments.next()} ${"x".repeat(moments.int(500_000))} */`;
      return packRelease(name, `1.${number}.0`, content);
    });
    const acknowledged: Release[] = [];
    let killed = 0;
    let inDoubt = 0;
    while (pending.length > 0) {
      await using hub = await start();
      // The killed hub did not answer these publishes: it stored them completely or not at all.
      const unpublished: Release[] = [];
      for (const release of pending)
        if (await isPublished(hub.url, release)) {
          expect(await publish({ hub: hub.url, token }, release)).toBe(409);
          acknowledged.push(release);
        } else unpublished.push(release);

      const unanswered: Release[] = [];
      const queue = [...unpublished];
      let answers = 0;
      const worker = async (): Promise<void> => {
        for (let release = queue.shift(); release !== undefined; release = queue.shift()) {
          const status = await publish({ hub: hub.url, token }, release).catch(() => undefined);
          if (status === undefined) unanswered.push(release);
          else if (status === 201) acknowledged.push(release);
          else
            throw new Error(
              `Publishing ${release.name}@${release.version} failed with status ${status}.`,
            );
          if (status === 201) answers += 1;
        }
      };
      const publishing = Promise.all(Array.from({ length: 4 }, worker));
      if (killed < kills) {
        // Kills at a random moment after some responses.
        const moment = moments.int(12);
        await vi.waitUntil(() => answers >= moment || queue.length === 0, {
          interval: 1,
          timeout: 60_000,
        });
        await sleep(moments.int(60));
        if (queue.length > 0) {
          killed += 1;
          await hub.kill();
        }
      }
      await publishing;
      inDoubt += Math.min(unanswered.length, 4);
      pending = unanswered;
    }
    expect(killed).toBeGreaterThan(3);
    expect(inDoubt).toBeGreaterThan(3);

    await using hub = await start();
    expect(acknowledged).toHaveLength(packages * versions);
    for (const release of acknowledged) expect(await isPublished(hub.url, release)).toBe(true);

    await using npm = await startClient(clients["npm 11"], { url: hub.url, scope: "ada" });
    const names = Array.from({ length: packages }, (_, index) => `@ada/package-${index}`);
    await npm.run("install", ...names);
  },
);

test(
  "loses neither a mail nor a package of a mirror when it is killed",
  { timeout: 240_000 },
  async () => {
    const [mails, copies, deaths, maxConnections] = [300, 12, 3, 4];
    await using source = await testHub("server", { HUB_HOST: "localhost", HUB_LIMITS: "off" });
    const ada = await source.createUser("ada");
    for (let index = 0; index < copies; index += 1)
      await publishOrThrow(source, `@ada/package-${index}`, { as: ada });
    await using folder = await temporaryFolder();
    await using store = await postgresDatabase();
    await using smtp = await startMailServer();
    const variables = {
      DATABASE_URL: store.url,
      HUB_URL: "http://localhost:4873",
      HUB_UPSTREAM: `mirror ${source.url} @ada`,
      HUB_SMTP_URL: `smtp://localhost:${smtp.port}`,
      HUB_MAIL_FROM: "hub@example.com",
    };
    const start = () => startHub({ data: `${folder.path}/data`, variables });
    // Creates the tables.
    await (await start()).kill();
    await using stack = new AsyncDisposableStack();
    const { database, close } = await connectServer(store.url, 1);
    stack.defer(close);
    await storeMails(database, mails);

    const moments = random("hub kill", "mails");
    for (let killed = 0; killed < deaths; killed += 1) {
      await using hub = await start();
      const moment = smtp.mails.length + 1 + moments.int(30);
      await vi.waitUntil(() => smtp.mails.length >= moment, { interval: 1, timeout: 60_000 });
      await hub.kill();
      // Lets the leases of the killed hub expire.
      const past = new Date(0);
      await database.updateTable("mails").set({ next_at: past }).execute();
      await database.updateTable("mirrors").set({ lease_until: past }).execute();
    }
    expect(smtp.mails.length).toBeLessThan(mails);

    await using _ = await start();
    const rows = async (table: "mails" | "upstream_tarballs") =>
      (await database.selectFrom(table).selectAll().execute()).length;
    await vi.waitUntil(
      async () => (await rows("mails")) === 0 && (await rows("upstream_tarballs")) === copies,
      { interval: 200, timeout: 60_000 },
    );
    const ids = new Map<string, string[]>();
    for (const { text } of smtp.mails) {
      const [, number = ""] = /Mail number (\d+)\./.exec(text) ?? [];
      const [, id = ""] = /^Message-ID: (.*)$/im.exec(text) ?? [];
      ids.set(number, [...(ids.get(number) ?? []), id]);
    }
    expect(ids.size).toBe(mails);
    expect(smtp.mails.length - mails).toBeLessThanOrEqual(deaths * maxConnections);
    // Mail programs show two mails with the same id once.
    for (const same of ids.values()) expect(new Set(same).size).toBe(1);
  },
);

/** Stores notices for a new user, which are due. */
async function storeMails(database: Database, count: number): Promise<void> {
  const now = new Date();
  const { id } = await database
    .insertInto("accounts")
    .values({ name: "grace", kind: "user", created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  const recipient = "grace@example.com";
  await database
    .insertInto("users")
    .values({
      account_id: id,
      email: recipient,
      password_hash: null,
      totp_secret: null,
      totp_confirmed_at: null,
      totp_last_step: null,
      disabled_at: null,
      updated_at: now,
    })
    .execute();
  const mail = (number: number) => ({
    id: randomUUID(),
    kind: "notice" as const,
    recipient,
    user_id: id,
    detail: JSON.stringify({ subject: "Notice", text: `Mail number ${number}.` }),
    created_at: now,
    next_at: now,
  });
  await database
    .insertInto("mails")
    .values(Array.from({ length: count }, (_, i) => mail(i)))
    .execute();
}
