import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { wrongTotals } from "../src/operations/storage-totals.ts";
import { fileBlobs } from "../src/platform/blobs/files.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import { connectEmbedded, connectServer } from "../src/platform/database/connect.ts";
import { emptyCluster } from "../src/platform/database/create-cluster.ts";
import { openEmbedded } from "../src/platform/database/embedded.ts";
import { eventHash } from "../src/platform/hub/event-log.ts";
import { type RunningHub, startHub } from "../src/start.ts";
import { browser } from "./support/browser.ts";
import { databases, testHub } from "./support/hub.ts";
import { makePerson, password } from "./support/person.ts";
import { postgresDatabase } from "./support/postgres.ts";
import { publishOrThrow } from "./support/publish.ts";
import {
  readRelease,
  type ReleaseData,
  restoreRelease,
  savedReleases,
  saveRelease,
} from "./support/release-data.ts";
import { seedLeaderboard } from "./support/seed-leaderboard.ts";
import { seedPeople } from "./support/seed-people.ts";

const name = "@ada/word-ladder";

/** Saves the data of the release that is about to be made: docs/releasing.md. */
const newRelease = process.env["ENVS_SAVE_RELEASE"];
if (newRelease !== undefined) {
  await using server = await testHub("server", { HUB_LOG: "error", HUB_LIMITS: "off" });
  const { publicPackage, ada, grace } = await seedPeople(server);
  await seedLeaderboard(server, ada, { examples: 6 });
  const change = async (method: string, path: string, body: unknown): Promise<void> => {
    const { ok, status } = await server.request(path, { method, as: ada, body });
    if (!ok) throw new Error(`${method} ${path}: ${status}`);
  };
  const package_ = `/api/v1/packages/${encodeURIComponent(publicPackage)}`;
  await change("POST", `${package_}/advisories`, {
    title: "The reward leaks the answer",
    severity: "high",
    vulnerableVersions: "<=1.0.0",
  });
  await change("PUT", `/-/package/${publicPackage.replace("/", "%2f")}/dist-tags/next`, "1.0.0");
  await publishOrThrow(server, "@grace/old", { as: grace });
  await saveRelease(newRelease, server, {
    token: ada.token,
    paths: [
      `/${publicPackage.replace("/", "%2f")}`,
      `/${name.replace("/", "%2f")}`,
      "/@grace%2fold",
      `/api/v1/packages/${encodeURIComponent(name)}/leaderboard`,
      `/api/v1/packages/${encodeURIComponent(name)}/runs`,
      `${package_}/advisories`,
    ],
  });
}

const releases = await savedReleases();
const upgrades = databases.flatMap((kind) => releases.map((version) => [version, kind] as const));

describe.each(upgrades)(
  "the data of release %s on the %s database, after the upgrade",
  (version, kind) => {
    const stack = new AsyncDisposableStack();
    let data: ReleaseData;
    let hub: RunningHub;
    const request = (path: string, init?: RequestInit) => fetch(`${hub.url}${path}`, init);
    const authorization = () => ({ authorization: `Bearer ${data.token}` });

    beforeAll(async () => {
      data = await readRelease(version);
      const folder = await mkdtemp(join(tmpdir(), "envs-upgrade-"));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const blobs = await fileBlobs(join(folder, "blobs"));
      const database = kind === "server" ? stack.use(await postgresDatabase()) : undefined;
      const connection =
        database === undefined
          ? await connectEmbedded(await openEmbedded(join(folder, "database"), emptyCluster))
          : await connectServer(database.url, 1);
      await restoreRelease(data, { connection, blobs });
      await connection.close();
      hub = stack.use(
        await startHub(
          readSettings({
            HUB_PORT: "0",
            HUB_HOST: "127.0.0.1",
            HUB_LOG: "error",
            HUB_DATA: folder,
            DATABASE_URL: database?.url,
          }),
        ),
      );
    });
    afterAll(() => stack.disposeAsync());

    test("serves the packages, boards, runs and advisories of before", async () => {
      for (const [path, before] of Object.entries(data.responses)) {
        const text = await (await request(path)).text();
        // Responses may have new fields.
        expect(JSON.parse(text.replaceAll(hub.url, "{hub}")), path).toMatchObject(before as object);
      }
    });

    test("knows the storage of each account", async () => {
      expect(await wrongTotals(hub.hub.database)).toEqual([]);
      const owners = await hub.hub.database.selectFrom("accounts").select("stored_bytes").execute();
      expect(owners.some(({ stored_bytes }) => stored_bytes > 0)).toBe(true);
    });

    test("serves the tarballs", async () => {
      const version = await (await request("/@word-games/word-length/1.0.0")).json();
      const { dist } = version as { dist: { integrity: string; tarball: string } };
      const bytes = new Uint8Array(await (await fetch(dist.tarball)).arrayBuffer());
      const digest = createHash("sha512").update(bytes).digest("base64");
      expect(`sha512-${digest}`).toBe(dist.integrity);
    });

    test("accepts the tokens and passwords of before, and new users", async () => {
      const identity = await request("/-/whoami", { headers: authorization() });
      expect(await identity.json()).toEqual({ username: "ada" });
      const tab = browser({ url: hub.url });
      await tab.open("/sign-in");
      await tab.press("Sign in", { Name: "ada", Password: password });
      expect((await tab.open("/settings")).text).toContain("ada");
      const person = await makePerson({ hub: hub.hub, url: hub.url } as never, "newcomer");
      expect(person.id).toBeGreaterThan(0);
    });

    test("publishes, and continues the event log", async () => {
      const server = {
        request: (path: string, { method = "GET", body }: { method?: string; body?: unknown }) =>
          request(path, {
            method,
            headers: { ...authorization(), "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
      };
      const ada = { id: 0, name: "ada", token: data.token };
      await publishOrThrow(server as never, "@ada/after", { as: ada });
      expect((await request("/@ada/after/latest")).status).toBe(200);
      const rows = await hub.hub.database
        .selectFrom("events")
        .selectAll()
        .orderBy("sequence")
        .execute();
      expect(rows.at(-1)).toMatchObject({ subject: "@ada/after@1.0.0" });
      let previous = "0".repeat(64);
      for (const row of rows) {
        expect([row.previous_hash, eventHash(row)]).toEqual([previous, row.hash]);
        previous = row.hash;
      }
    });
  },
);
