import { describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { escapedName, readDocument, sendDocument } from "./support/package-document.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("owners on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const bob = sharedUser(server, "bob");
  const eve = sharedUser(server, "eve");

  const owners = async (name: string) =>
    (await readDocument(server, name, ada)).maintainers.map((each) => each.name);
  /** Sends only the list, as `npm owner` does. */
  const setOwners = async (name: string, names: readonly string[], as = ada) => {
    const { _id, _rev } = await readDocument(server, name, as);
    const maintainers = names.map((each) => ({ name: each, email: `${each}@example.com` }));
    return await sendDocument(server, name, {
      document: { _id, _rev, maintainers },
      rev: _rev,
      as,
    });
  };
  const tag = (name: string, as: TestUser) =>
    server.request(`/-/package/${name}/dist-tags/next`, { method: "PUT", body: "1.0.0", as });

  test("a maintainer can change the package until removed", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, { bare: "npm" });
    expect((await tag(name, bob)).status).toBe(403);
    expect((await setOwners(name, ["ada", "bob"])).ok).toBe(true);
    expect(await owners(name)).toEqual(["ada", "bob"]);
    expect((await tag(name, bob)).status).toBe(201);
    expect((await setOwners(name, ["ada"])).ok).toBe(true);
    expect(await owners(name)).toEqual(["ada"]);
    expect((await tag(name, bob)).status).toBe(403);
    const events = await server.hub.database
      .selectFrom("events")
      .where("package_id", "=", id)
      .where("type", "in", ["owner.added", "owner.removed"])
      .orderBy("sequence")
      .select(["type", "actor", "detail"])
      .execute();
    expect(events).toEqual([
      { type: "owner.added", actor: "ada", detail: { user: "bob" } },
      { type: "owner.removed", actor: "ada", detail: { user: "bob" } },
    ]);
  });

  test("pnpm adds and removes one maintainer at a time", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "pnpm" });
    const path = `/-/package/${escapedName(name)}/owners`;
    const add = () => server.request(path, { method: "PUT", body: { user: "bob" }, as: ada });
    expect((await add()).status).toBe(200);
    expect((await add()).status).toBe(200);
    expect(await owners(name)).toEqual(["ada", "bob"]);
    const remove = () => server.request(`${path}/bob`, { method: "DELETE", as: ada });
    expect((await remove()).status).toBe(200);
    expect(await owners(name)).toEqual(["ada"]);
    const again = await remove();
    expect([again.status, await again.json()]).toMatchObject([404, { code: "owner-not-found" }]);
  });

  test.each<[string, readonly string[], number, string, string]>([
    ["an unknown user", ["ada", "nobody"], 404, "user-not-found", '"nobody"'],
    ["a list without the owner of the scope", ["bob"], 403, "scope-owner", "ada"],
    ["an empty list", [], 403, "last-owner", "ada"],
  ])("rejects %s and keeps the owners", async (what, names, status, code, text) => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: what.replaceAll(" ", "-") });
    const response = await setOwners(name, names);
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { code, message: expect.stringContaining(text) },
    ]);
    expect(await owners(name)).toEqual(["ada"]);
  });

  test("a maintainer cannot add or remove maintainers", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "rights" });
    await setOwners(name, ["ada", "bob"]);
    expect((await setOwners(name, ["ada", "bob", "eve"], bob)).status).toBe(403);
    expect((await setOwners(name, ["ada", "eve"], eve)).status).toBe(403);
    expect(await owners(name)).toEqual(["ada", "bob"]);
  });
});
