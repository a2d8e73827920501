import { randomUUID } from "node:crypto";

import { describe, expect, test } from "vitest";

import { newToken, secretHash, tokenPreview } from "../src/identity/credentials/secret.ts";
import { databases, testHub, type TestUser } from "./support/hub.ts";
import { escapedName, readDocument } from "./support/package-document.ts";
import { publish, publishBody, type PublishOptions } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

interface Item {
  readonly id: string;
  readonly packageName: string;
  readonly version: string;
}

describe.each(databases)("staged publishing on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const bob = sharedUser(server, "bob");
  const eve = sharedUser(server, "eve");

  const stage = (name: string, { as, ...options }: PublishOptions) =>
    server.request(`/-/stage/package/${escapedName(name)}`, {
      method: "POST",
      as,
      body: publishBody(name, options),
    });
  const stageOrThrow = async (name: string, options: PublishOptions): Promise<string> => {
    const response = await stage(name, options);
    expect(response.status).toBe(201);
    return ((await response.json()) as { stageId: string }).stageId;
  };
  const approve = (id: string, as: TestUser) =>
    server.request(`/-/stage/${id}/approve`, { method: "POST", as });
  const reject = (id: string, as: TestUser) =>
    server.request(`/-/stage/${id}`, { method: "DELETE", as });
  const list = async (as: TestUser, query = ""): Promise<readonly Item[]> => {
    const response = await server.request(`/-/stage?page=0&perPage=100${query}`, { as });
    return ((await response.json()) as { items: Item[] }).items;
  };
  const stagedIds = async (as: TestUser, name: string) =>
    (await list(as, `&package=${encodeURIComponent(name)}`)).map(({ id }) => id);

  test("a staged version cannot be installed until an owner approves it", async () => {
    const { id: packageId, name } = await seedOwnPackage(server.hub, ada, { bare: "approved" });
    const version = "1.1.0-rc.1";
    const id = await stageOrThrow(name, { as: ada, version, tag: "next" });
    expect(Object.keys((await readDocument(server, name)).versions)).toEqual(["1.0.0"]);
    const item = await server.request(`/-/stage/${id}`, { as: ada });
    const body = publishBody(name, { version, tag: "next" });
    expect(await item.json()).toEqual({
      id,
      packageName: name,
      version,
      tag: "next",
      createdAt: expect.stringMatching(/^20\d\d-.*Z$/),
      actor: "ada",
      actorType: "user",
      shasum: body.versions[version]?.dist.shasum,
    });
    const tarball = await server.request(`/-/stage/${id}/tarball`, { as: ada });
    const payload = body._attachments[`${name}-${version}.tgz`]?.data;
    expect(Buffer.from(await tarball.arrayBuffer()).toString("base64")).toBe(payload);
    expect((await approve(id, ada)).status).toBe(201);
    const document = await readDocument(server, name);
    expect(Object.keys(document.versions)).toEqual(["1.0.0", version]);
    expect(document["dist-tags"]).toEqual({ latest: "1.0.0", next: version });
    expect(await stagedIds(ada, name)).toEqual([]);
    const events = await server.hub.database
      .selectFrom("events")
      .where("package_id", "=", packageId)
      .orderBy("sequence")
      .select(["type", "subject"])
      .execute();
    expect(events).toEqual([
      { type: "version.staged", subject: `${name}@${version}` },
      { type: "version.published", subject: `${name}@${version}` },
    ]);
  });

  test("a staged new package is visible only to its owner", async () => {
    const name = "@ada/new";
    const id = await stageOrThrow(name, { as: ada, access: "restricted" });
    expect(await stagedIds(eve, name)).toEqual([]);
    expect(await stagedIds(ada, name)).toEqual([id]);
    expect((await server.request(`/${name}`, { as: ada })).status).toBe(404);
    expect((await approve(id, ada)).status).toBe(201);
    expect((await server.request(`/${name}`, { as: ada })).status).toBe(200);
    expect((await server.request(`/${name}`, { as: eve })).status).toBe(404);
  });

  test("rejecting a version frees its number", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "rejected" });
    const id = await stageOrThrow(name, { as: ada, version: "2.0.0" });
    expect((await publish(server, name, { as: ada, version: "2.0.0" })).status).toBe(409);
    expect((await stage(name, { as: ada, version: "2.0.0" })).status).toBe(409);
    expect((await stage(name, { as: ada, version: "1.0.0" })).status).toBe(409);
    expect((await reject(id, ada)).status).toBe(200);
    expect((await server.request(`/-/stage/${id}`, { as: ada })).status).toBe(404);
    expect((await approve(id, ada)).status).toBe(404);
    expect((await publish(server, name, { as: ada, version: "2.0.0" })).status).toBe(201);
  });

  test("lets writers stage, list and reject their own, owners all, and returns 404 to other users", async () => {
    const { id: packageId, name } = await seedOwnPackage(server.hub, ada, { bare: "rights" });
    await server.hub.database
      .insertInto("package_users")
      .values({ package_id: packageId, user_id: bob.id, permission: "write", is_maintainer: true })
      .execute();
    expect((await stage(name, { as: eve, version: "1.1.0" })).status).toBe(403);
    const id = await stageOrThrow(name, { as: bob, version: "1.1.0" });
    expect(await stagedIds(bob, name)).toEqual([id]);
    expect(await statusAndBody(approve(id, bob))).toMatchObject([403, { code: "forbidden" }]);
    for (const pending of [
      server.request(`/-/stage/${id}`, { as: eve }),
      server.request(`/-/stage/${id}/tarball`, { as: eve }),
      approve(id, eve),
      reject(id, eve),
      server.request("/-/stage/not-an-id", { as: ada }),
    ])
      expect(await statusAndBody(pending)).toMatchObject([404, { code: "not-found" }]);
    expect(await stagedIds(eve, name)).toEqual([]);
    expect((await server.request("/-/stage")).status).toBe(401);
    const other = await stageOrThrow(name, { as: ada, version: "1.2.0" });
    expect(await statusAndBody(reject(other, bob))).toMatchObject([403, { code: "forbidden" }]);
    expect(
      (await reject(await stageOrThrow(name, { as: bob, version: "1.3.0" }), bob)).status,
    ).toBe(200);
    expect((await approve(id, ada)).status).toBe(201);
    expect((await reject(other, ada)).status).toBe(200);
  });

  test("shows the events of a staged private package only to its owner", async () => {
    const id = await stageOrThrow("@ada/secret", { as: ada });
    await reject(id, ada);
    const mentions = async (as?: TestUser) => {
      const response = await server.request("/-/events?since=0&limit=1000", as && { as });
      return (await response.text()).split(`@ada/secret@1.0.0`).length - 1;
    };
    expect([await mentions(ada), await mentions(eve), await mentions()]).toEqual([2, 0, 0]);
  });

  test("limits waiting staged versions to the number of publishes per hour", async () => {
    await using small = await testHub(kind, { HUB_PUBLISHES_PER_HOUR: "1" });
    const user = await small.createUser("ada");
    const propose = (version: string) =>
      small.request("/-/stage/package/@ada/demo", {
        method: "POST",
        as: user,
        body: publishBody("@ada/demo", { version }),
      });
    expect((await propose("1.0.0")).status).toBe(201);
    expect(await statusAndBody(propose("1.1.0"))).toMatchObject([403, { code: "too-many-staged" }]);
  });

  test("rejects a staged tarball with another integrity", async () => {
    const name = "@ada/verified";
    const body = publishBody(name, { version: "1.0.0" });
    const wrong = { ...body.versions["1.0.0"], dist: { integrity: "sha512-AAAA" } };
    const path = `/-/stage/package/${escapedName(name)}`;
    const payload = { ...body, versions: { "1.0.0": wrong } };
    expect(
      await statusAndBody(server.request(path, { method: "POST", as: ada, body: payload })),
    ).toMatchObject([400, { code: "integrity-mismatch" }]);
    expect(await stagedIds(ada, name)).toEqual([]);
  });

  test("pages the list", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "pages" });
    for (const version of ["1.1.0", "1.2.0", "1.3.0"])
      await stageOrThrow(name, { as: ada, version });
    const page = async (query: string) => {
      const path = `/-/stage?package=${encodeURIComponent(name)}${query}`;
      const [status, body] = await statusAndBody(server.request(path, { as: ada }));
      const { items = [], ...rest } = body as { items?: Item[] };
      return [status, items.map(({ version }) => version), rest];
    };
    const whole = ["1.3.0", "1.2.0", "1.1.0"];
    expect(await page("")).toEqual([200, whole, { total: 3, page: 0, perPage: 100 }]);
    const second = [200, ["1.1.0"], { total: 3, page: 1, perPage: 2 }];
    expect(await page("&page=1&perPage=2")).toEqual(second);
    const beyond = [200, [], { total: 3, page: 9, perPage: 2 }];
    expect(await page("&page=9&perPage=2")).toEqual(beyond);
    expect(await page("&perPage=1000")).toMatchObject([400, [], { code: "invalid-request" }]);
  });

  test("requires a second factor to approve and reject, but not to stage", async () => {
    const user = await server.createUser("careful");
    await server.hub.database
      .updateTable("users")
      .set({ totp_secret: "unused", totp_confirmed_at: server.hub.clock() })
      .where("account_id", "=", user.id)
      .execute();
    const id = await stageOrThrow("@careful/demo", { as: user });
    for (const pending of [approve(id, user), reject(id, user)]) {
      const response = await pending;
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
    }
  });

  test("accepts either an approval or a concurrent rejection", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "race" });
    const id = await stageOrThrow(name, { as: ada, version: "1.1.0" });
    const responses = await Promise.all([approve(id, ada), reject(id, ada)]);
    expect(responses.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await stagedIds(ada, name)).toEqual([]);
    const isPublished = "1.1.0" in (await readDocument(server, name)).versions;
    expect(isPublished).toBe(responses[0].ok);
  });

  test("a trusted publisher limited to staging cannot publish, list or approve", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "trusted" });
    const { database, clock } = server.hub;
    const trust = randomUUID();
    const token = newToken();
    await database
      .insertInto("trusted_publishers")
      .values({
        id: trust,
        name,
        type: "github",
        claims: JSON.stringify({ repository: "ada/trusted" }),
        permissions: ["createStagedPackage"],
        created_by: ada.id,
        created_at: clock(),
      })
      .execute();
    await database
      .insertInto("tokens")
      .values({
        id: randomUUID(),
        user_id: ada.id,
        secret_hash: secretHash(token),
        preview: tokenPreview(token),
        purpose: "trusted-publisher",
        packages: [name],
        trusted_publisher_id: trust,
        created_at: clock(),
      })
      .execute();
    const workflow: TestUser = { ...ada, token };
    const id = await stageOrThrow(name, { as: workflow, version: "1.1.0" });
    expect((await publish(server, name, { as: workflow, version: "1.2.0" })).status).toBe(403);
    expect((await approve(id, workflow)).status).toBe(403);
    expect((await server.request("/-/stage", { as: workflow })).status).toBe(403);
    expect(await list(ada)).toContainEqual(
      expect.objectContaining({ id, actor: "ada", actorType: "trusted-publisher" }),
    );
  });
});
