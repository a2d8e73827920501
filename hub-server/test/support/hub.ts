import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  newToken,
  secretHash,
  tokenPreview,
} from "@envs/hub-server/src/identity/credentials/secret.ts";
import { fileBlobs } from "@envs/hub-server/src/platform/blobs/files.ts";
import { s3Blobs } from "@envs/hub-server/src/platform/blobs/s3.ts";
import { readSettings } from "@envs/hub-server/src/platform/config/read-settings.ts";
import { connectEmbedded, connectServer } from "@envs/hub-server/src/platform/database/connect.ts";
import { openEmbedded } from "@envs/hub-server/src/platform/database/embedded.ts";
import { migrate } from "@envs/hub-server/src/platform/database/migrate.ts";
import type { Database } from "@envs/hub-server/src/platform/database/tables.ts";
import { type RunningHub, startHub } from "@envs/hub-server/src/start.ts";

import { postgresDatabase } from "./postgres.ts";
import { withServerFolder } from "./server-process.ts";

export type DatabaseKind = "embedded" | "server";

/** The databases that the hub is tested on. The server starts once for all tests; an embedded one starts with each hub. */
export const databases = (process.env["ENVS_TEST_DATABASES"] ?? "server,embedded").split(
  ",",
) as readonly DatabaseKind[];

/** The database of tests that need no other. */
export const anyDatabase: DatabaseKind = databases[0] ?? "server";

export interface TestHub extends RunningHub {
  /** Creates a user with an unrestricted token. */
  createUser(name: string, options?: { readonly isAdmin?: boolean }): Promise<TestUser>;
  /** Sends a JSON request with a token, as npm does. Does not follow redirects. */
  request(path: string, options?: RequestOptions): Promise<Response>;
  /** Advances the hub's clock. */
  advanceClock(milliseconds: number): void;
}

export interface TestUser {
  readonly id: number;
  readonly name: string;
  readonly token: string;
}

export interface RequestOptions {
  readonly method?: string | undefined;
  readonly as?: { readonly token: string } | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Starts a hub with its own database on loopback. */
export async function testHub(
  kind: DatabaseKind,
  variables: Readonly<Record<string, string>> = {},
): Promise<TestHub> {
  return await withServerFolder("hub-test", async (folder) => {
    const settings = readSettings({
      HUB_PORT: "0",
      HUB_HOST: "127.0.0.1",
      HUB_LOG: "error",
      HUB_DATA: folder,
      ...variables,
    });
    const { connection, dispose } = await open(kind);
    let offset = 0;
    const clock = (): Date => new Date(performance.timeOrigin + performance.now() + offset);
    const server = await startHub(settings, {
      connection,
      blobs:
        settings.HUB_BLOBS === undefined
          ? await fileBlobs(join(folder, "blobs"))
          : s3Blobs(settings.HUB_BLOBS),
      clock,
    });
    const close = async (): Promise<void> => {
      await server.close();
      await dispose();
      await rm(folder, { recursive: true, force: true });
    };
    return {
      ...server,
      close,
      [Symbol.asyncDispose]: close,
      createUser: (name, options) =>
        insertUser(server.hub.database, { name, now: clock(), ...options }),
      request: (path, { method = "GET", as, body, headers } = {}) =>
        fetch(`${server.url}${path}`, {
          method,
          redirect: "manual",
          headers: {
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      advanceClock: (milliseconds) => void (offset += milliseconds),
    };
  });
}

async function open(kind: DatabaseKind) {
  if (kind === "embedded") {
    const pglite = await openEmbedded(undefined, migratedDump);
    return { connection: await connectEmbedded(pglite), dispose: async () => {} };
  }
  const database = await postgresDatabase(async (url) => {
    await using connection = await disposable(connectServer(url, 1));
    await migrate(connection);
  });
  return {
    connection: await connectServer(database.url, 5),
    dispose: () => database[Symbol.asyncDispose](),
  };
}

async function disposable<T extends { close(): Promise<void> }>(pending: Promise<T>) {
  const resource = await pending;
  return { ...resource, [Symbol.asyncDispose]: () => resource.close() };
}

/** A dump of a migrated embedded database. Migrating a new one takes seconds, loading the dump a fraction of a second. */
async function migratedDump(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = join(import.meta.dirname, "../../migrations");
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted())
    hash.update(name).update(await readFile(join(folder, name)));
  const cached = join(tmpdir(), `envs-hub-migrated-${hash.digest("hex").slice(0, 16)}.tar`);
  if (!existsSync(cached)) {
    const pglite = await openEmbedded();
    await migrate(await connectEmbedded(pglite));
    const dump = await pglite.dumpDataDir("none");
    await pglite.close();
    const incoming = `${cached}.${randomUUID()}`;
    await writeFile(incoming, Buffer.from(await dump.arrayBuffer()));
    await rename(incoming, cached);
  }
  return new Uint8Array(await readFile(cached));
}

/** Creates a user with an unrestricted token. A test that runs again gets the user of its first try, with another token. */
export async function insertUser(
  database: Database,
  { name, now, isAdmin = false }: { name: string; now: Date; isAdmin?: boolean },
): Promise<TestUser> {
  const id = (await accountOf(database, name)) ?? (await insertAccount(database, name, now));
  await database
    .insertInto("users")
    .values({ account_id: id, email: `${name}@example.com`, is_admin: isAdmin, updated_at: now })
    .onConflict((conflict) => conflict.column("account_id").doNothing())
    .execute();
  const token = newToken();
  await database
    .insertInto("tokens")
    .values({
      id: randomUUID(),
      user_id: id,
      secret_hash: secretHash(token),
      preview: tokenPreview(token),
      created_at: now,
    })
    .execute();
  return { id, name, token };
}

async function accountOf(database: Database, name: string): Promise<number | undefined> {
  const account = await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .select("id")
    .executeTakeFirst();
  return account?.id;
}

async function insertAccount(database: Database, name: string, now: Date): Promise<number> {
  const { id } = await database
    .insertInto("accounts")
    .values({ name, kind: "user", created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
