import { randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { correctTotals, wrongTotals } from "../src/operations/storage-totals.ts";
import { databases, testHub, type TestHub, type TestUser } from "./support/hub.ts";
import { escapedName, readDocument } from "./support/package-document.ts";
import { publishBody } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";

/** Enough for three of the packages below, but not for four. */
const quota = 18_000;
const rejection = [403, { code: "owner-full" }];

describe.each(databases)("the quota of an owner on the %s database", (kind) => {
  let server: TestHub;
  let ada: TestUser;
  beforeEach(async () => {
    server = await testHub(kind, { HUB_OWNER_BYTES: String(quota) });
    ada = await server.createUser("ada");
  });
  afterEach(async () => {
    expect(await wrongTotals(server.hub.database)).toEqual([]);
    await server.close();
  });

  const body = (name: string) => publishBody(name, { files: { "noise.bin": randomBytes(5000) } });
  const put = (name: string, as = ada) =>
    statusAndBody(server.request(`/${escapedName(name)}`, { method: "PUT", as, body: body(name) }));
  const stage = (name: string) =>
    statusAndBody(
      server.request(`/-/stage/package/${escapedName(name)}`, {
        method: "POST",
        as: ada,
        body: body(name),
      }),
    );
  const stageOrThrow = async (name: string): Promise<string> => {
    const [status, { stageId }] = (await stage(name)) as [number, { stageId: string }];
    expect(status).toBe(201);
    return stageId;
  };

  test("limits concurrent publishes and stages together", async () => {
    const names = Array.from({ length: 4 }, (_, index) => `@ada/p${index}`);
    const responses = await Promise.all([
      ...names.map((name) => put(name)),
      ...names.map((name) => stage(`${name}-staged`)),
    ]);
    const statuses = responses.map(([status]) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 201, 403, 403, 403, 403, 403]);
    expect(responses.find(([status]) => status === 403)).toMatchObject(rejection);
    expect((await put("@bob/own", await server.createUser("bob")))[0]).toBe(201);
  });

  test("counts staged versions once, and does not count rejected and unpublished ones", async () => {
    const approved = await stageOrThrow("@ada/approved");
    const rejected = await stageOrThrow("@ada/rejected");
    expect((await put("@ada/gone"))[0]).toBe(201);
    expect(await put("@ada/more")).toMatchObject(rejection);
    const approve = { method: "POST", as: ada };
    expect((await server.request(`/-/stage/${approved}/approve`, approve)).status).toBe(201);
    expect(await put("@ada/more")).toMatchObject(rejection);
    await server.request(`/-/stage/${rejected}`, { method: "DELETE", as: ada });
    expect((await put("@ada/more"))[0]).toBe(201);
    const { _rev } = await readDocument(server, "@ada/gone", ada);
    const path = `/${escapedName("@ada/gone")}/-rev/${_rev}`;
    expect((await server.request(path, { method: "DELETE", as: ada })).status).toBe(200);
    expect((await put("@ada/again"))[0]).toBe(201);
  });

  test("moves with a package to its new owner, and a wrong total is corrected", async () => {
    const { database, connection } = server.hub;
    const bob = await server.createUser("bob");
    await put("@ada/moved");
    await stageOrThrow("@ada/moved-staged");
    const totals = async () =>
      await database.selectFrom("accounts").orderBy("id").select("stored_bytes").execute();
    const [before] = await totals();
    await database.updateTable("packages").set({ owner_id: bob.id }).execute();
    const [own, moved] = await totals();
    expect(moved?.stored_bytes).toBeGreaterThan(5000);
    expect(own?.stored_bytes).toBe(Number(before?.stored_bytes) - Number(moved?.stored_bytes));
    await database
      .updateTable("accounts")
      .set({ stored_bytes: 7 })
      .where("id", "=", bob.id)
      .execute();
    const bytes = moved?.stored_bytes;
    expect(await correctTotals(connection)).toEqual([{ id: bob.id, name: "bob", total: 7, bytes }]);
  });

  test("does not store uploads above the quota", async () => {
    const before = (await Array.fromAsync(server.hub.blobs.list())).length;
    const document = body("@ada/noise");
    const noise = randomBytes(quota + 1);
    const _attachments = {
      "@ada/noise-1.0.0.tgz": { data: noise.toString("base64"), length: noise.length },
    };
    const upload = { ...document, _attachments };
    const path = `/${escapedName("@ada/noise")}`;
    expect(
      await statusAndBody(server.request(path, { method: "PUT", as: ada, body: upload })),
    ).toMatchObject(rejection);
    const packages = ["a", "b", "c", "d"].map((bare) => body(`@ada/${bare}`));
    const batch = { method: "PUT", as: ada, body: { packages } };
    const [status, { code, error }] = (await statusAndBody(
      server.request("/-/pnpr/v0/publish", batch),
    )) as [number, { code: string; error: string }];
    expect([status, code]).toEqual([403, "owner-full"]);
    expect(error).toContain("Storage quota of ada exceeded");
    expect(await Array.fromAsync(server.hub.blobs.list())).toHaveLength(before);
  });
});
