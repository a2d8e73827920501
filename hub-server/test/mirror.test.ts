import { afterAll, beforeAll, expect, test } from "vitest";

import { identityWithoutToken } from "../src/identity/request/identity.ts";
import { act } from "../src/moderation/act.ts";
import { decideAct } from "../src/moderation/appeal.ts";
import { checkMirrors } from "../src/operations/doctor/check-mirrors.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import type { Upstream } from "../src/platform/config/upstreams.ts";
import { copyEvents } from "../src/upstream/mirror.ts";
import { anyDatabase, type TestHub, testHub, type TestUser } from "./support/hub.ts";
import { publish, publishOrThrow } from "./support/publish.ts";
import { json, testUpstream } from "./support/upstream.ts";

let source: TestHub;
let mirror: TestHub;
let ada: TestUser;
let upstream: Upstream;
const variables = { HUB_LIMITS: "off", HUB_LOG: "silent" };

beforeAll(async () => {
  source = await testHub(anyDatabase, variables);
  mirror = await testHub(anyDatabase, {
    ...variables,
    HUB_UPSTREAM: `mirror ${source.url} * !@own`,
  });
  [upstream] = mirror.hub.settings.HUB_UPSTREAM!.list as [Upstream];
  ada = await source.createUser("ada", { isAdmin: true });
});
afterAll(async () => {
  await mirror.close();
  await source.close();
});

/** Copies all events, as the mirror does after some seconds. */
async function copy(): Promise<void> {
  await expect.poll(() => leaseIsFree(mirror), { timeout: 120_000 }).toBe(true);
  while (await copyEvents(mirror.hub, upstream));
}

async function leaseIsFree({ hub }: TestHub): Promise<boolean> {
  const rows = await hub.database.selectFrom("mirrors").select("lease_until").execute();
  return rows.every(({ lease_until }) => lease_until <= hub.clock());
}

const versionsOn = async (hub: TestHub, name: string): Promise<string[]> => {
  const { versions = {} } = (await (await hub.request(`/${name}`)).json()) as { versions?: object };
  return Object.keys(versions);
};
const storedTarballs = async (name: string): Promise<string[]> => {
  const rows = await mirror.hub.database
    .selectFrom("upstream_tarballs")
    .where("name", "=", name)
    .select("version")
    .orderBy("version")
    .execute();
  return rows.map(({ version }) => version);
};

test("copies packages before a client asks, and what changes them", async () => {
  await publishOrThrow(source, "@ada/a", { as: ada });
  await publishOrThrow(source, "@ada/a", { as: ada, version: "1.1.0" });
  await publishOrThrow(source, "@ada/secret", { as: ada, access: "restricted" });
  await copy();
  expect(await storedTarballs("@ada/a")).toEqual(["1.0.0", "1.1.0"]);
  expect(await storedTarballs("@ada/secret")).toEqual([]);

  const path = "/api/v1/packages/@ada%2fa/versions/1.0.0";
  await source.request(`${path}/yank`, { method: "PUT", as: ada, body: {} });
  await source.request("/-/package/@ada%2fa/dist-tags/next", {
    method: "PUT",
    as: ada,
    body: "1.1.0",
  });
  await copy();
  expect(await (await mirror.request("/-/package/@ada%2fa/dist-tags")).json()).toEqual(
    await (await source.request("/-/package/@ada%2fa/dist-tags")).json(),
  );
  expect(await versionsOn(mirror, "@ada/a")).toEqual(await versionsOn(source, "@ada/a"));
  expect((await mirror.request("/@ada/a/-/a-1.1.0.tgz")).status).toBe(200);
});

test("no longer serves a version that was unpublished", async () => {
  await publishOrThrow(source, "@ada/taken", { as: ada });
  await publishOrThrow(source, "@ada/taken", { as: ada, version: "1.0.1" });
  await copy();
  expect((await mirror.request("/@ada/taken/-/taken-1.0.1.tgz")).status).toBe(200);
  const document = (await (
    await source.request("/@ada%2ftaken?write=true", { as: ada })
  ).json()) as { _rev: string; versions: Record<string, unknown> };
  delete document.versions["1.0.1"];
  const { status } = await source.request(`/@ada%2ftaken/-rev/${document._rev}`, {
    method: "PUT",
    as: ada,
    body: document,
  });
  expect(status).toBe(201);
  await copy();
  expect(await storedTarballs("@ada/taken")).toEqual(["1.0.0"]);
  expect((await mirror.request("/@ada/taken/-/taken-1.0.1.tgz")).status).toBe(404);
  expect((await mirror.request("/@ada/taken/-/taken-1.0.0.tgz")).status).toBe(200);
});

test("no longer serves a package that the moderators of the upstream have quarantined, until they end it", async () => {
  const { id, name } = await source.createUser("judge", { isAdmin: true });
  const judge = identityWithoutToken({ id, name, isAdmin: true, hasSecondFactor: false });
  await publishOrThrow(source, "@ada/suspect", { as: ada });
  await copy();
  const tarball = "/@ada/suspect/-/suspect-1.0.0.tgz";
  expect((await mirror.request(tarball)).status).toBe(200);
  const target = { kind: "package", name: "@ada/suspect" };
  const decision = { act: "quarantine", reason: "malware", explanation: "It steals keys." };
  await act(source.hub, judge, { ...target, ...decision });
  await publishOrThrow(source, "@ada/after", { as: ada });
  await copy();
  expect(await storedTarballs("@ada/suspect")).toEqual([]);
  for (const path of [tarball, "/@ada%2fsuspect"])
    expect([path, (await mirror.request(path)).status]).toEqual([path, 404]);
  expect(await storedTarballs("@ada/after")).toEqual(["1.0.0"]);
  const { id: actId } = await source.hub.database
    .selectFrom("moderation_acts")
    .select("id")
    .executeTakeFirstOrThrow();
  await decideAct(source.hub, judge, { id: actId, isGranted: true, answer: "" });
  await copy();
  expect((await mirror.request(tarball)).status).toBe(200);
});

test("rejects changes of mirrored packages", async () => {
  const grace = await mirror.createUser("grace", { isAdmin: true });
  const response = await publish(mirror, "@ada/a", { as: grace, version: "6.6.6" });
  expect(await response.json()).toMatchObject({ code: "scope-not-found" });
});

test("continues after a failure without losing an event", async () => {
  await publishOrThrow(source, "@ada/interrupted", { as: ada });
  await expect.poll(() => leaseIsFree(mirror), { timeout: 120_000 }).toBe(true);
  const position = () => mirror.hub.database.selectFrom("mirrors").select("sequence").execute();
  const before = await position();
  const failing = { ...mirror.hub, blobs: { ...mirror.hub.blobs, putFile: () => fail() } };
  const fail = (): never => {
    throw new Error("killed");
  };
  await expect(copyEvents(failing, upstream)).rejects.toThrow("killed");
  expect(await position()).toEqual(before);
  await copy();
  expect(await storedTarballs("@ada/interrupted")).toEqual(["1.0.0"]);
});

test.each([
  ["a changed event", (items: Item[]) => ((items[2]!.subject = "@ada/evil@1.0.0"), items)],
  ["a missing event", (items: Item[]) => items.filter((_, index) => index !== 2)],
  ["another order", (items: Item[]) => items.toReversed()],
  ["a changed link", (items: Item[]) => ((items[2]!.previousHash = "0".repeat(64)), items)],
])("copies nothing from a feed with %s", async (_what, change) => {
  const feed = (await (await source.request("/-/events?limit=1000")).json()) as { items: Item[] };
  await using liar = await testUpstream();
  liar.on("/-/events?since=0&limit=1000", json({ ...feed, items: change(feed.items) }));
  const target = { kind: "mirror", origin: liar.url, patterns: ["*"] } as const;
  await expect(copyEvents(mirror.hub, target)).rejects.toThrow("does not continue the hash chain");
  expect(liar.requests.map(({ url }) => url)).toEqual(["/-/events?since=0&limit=1000"]);
});

test("reports a log that is shorter than the copied one, and doctor what is not copied", async () => {
  await using liar = await testUpstream();
  const { hash } = { hash: "f".repeat(64) };
  await mirror.hub.database
    .insertInto("mirrors")
    .values({ origin: liar.url, sequence: 9, hash, lease_until: new Date(0) })
    .execute();
  liar.on("/-/events?since=9&limit=1000", json({ items: [], last: 3 }));
  const target = { kind: "mirror", origin: liar.url, patterns: ["*"] } as const;
  await expect(copyEvents(mirror.hub, target)).rejects.toThrow("ends at 3");
  const doctor = async (items: readonly { readonly at: Date }[], last: number) => {
    liar.on("/-/events?since=9&limit=1", json({ items, last }));
    const settings = readSettings({ HUB_UPSTREAM: `mirror ${liar.url} @ada` });
    const [finding] = await checkMirrors(mirror.hub.database, settings);
    return `${finding?.level}: ${finding?.message}`;
  };
  expect(await doctor([], 3)).toContain("error: Its event log ends at 3");
  expect(await doctor([], 9)).toBe("ok: has copied 9 of 9 events");
  expect(await doctor([{ at: new Date() }], 10)).toBe("ok: has copied 9 of 10 events");
  expect(await doctor([{ at: new Date(0) }], 12)).toBe(
    "warning: 3 of 12 events are not copied; the oldest is of 1970-01-01T00:00:00.000Z.",
  );
});

interface Item {
  subject?: string;
  previousHash: string;
}
