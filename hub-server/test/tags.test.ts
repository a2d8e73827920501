import { describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("dist-tags on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const eve = sharedUser(server, "eve");

  const put = (name: string, tag: string, { as, version }: { as?: TestUser; version: unknown }) =>
    server.request(`/-/package/${name}/dist-tags/${tag}`, {
      method: "PUT",
      body: version,
      ...(as === undefined ? {} : { as }),
    });
  const remove = (name: string, tag: string, as: TestUser) =>
    server.request(`/-/package/${name}/dist-tags/${tag}`, { method: "DELETE", as });
  const tags = async (name: string, as = ada): Promise<unknown> =>
    (await server.request(`/-/package/${name}/dist-tags`, { as })).json();

  test("sets, moves and removes a tag in every URL encoding", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, {
      bare: "a",
      versions: ["1.0.0", "1.1.0"],
    });
    const escaped = name.replace("/", "%2f");
    const set = await put(escaped, "beta", { as: ada, version: "1.0.0" });
    expect([set.status, await set.json()]).toEqual([
      201,
      { ok: true, id: name, rev: expect.stringMatching(/^2-[0-9a-f]+$/) },
    ]);
    expect(await tags(name)).toEqual({ latest: "1.1.0", beta: "1.0.0" });
    await put(name, "beta", { as: ada, version: "1.1.0" });
    expect(await tags(name)).toEqual({ latest: "1.1.0", beta: "1.1.0" });
    expect((await remove(name.replace("/", "%2F"), "beta", ada)).status).toBe(200);
    expect(await tags(name)).toEqual({ latest: "1.1.0" });
  });

  test("appends an event for each change and none for a no-op", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, { bare: "b" });
    for (const _ of [1, 2]) await put(name, "beta", { as: ada, version: "1.0.0" });
    await remove(name, "beta", ada);
    const events = await server.hub.database
      .selectFrom("events")
      .where("package_id", "=", id)
      .orderBy("sequence")
      .select(["type", "actor", "subject", "detail"])
      .execute();
    expect(events).toEqual([
      {
        type: "tag.set",
        actor: "ada",
        subject: name,
        detail: { tag: "beta", version: "1.0.0" },
      },
      { type: "tag.removed", actor: "ada", subject: name, detail: { tag: "beta" } },
    ]);
  });

  test.each([
    ["latest", "latest", 403, "tag-latest"],
    ["a missing tag", "beta", 404, "not-found"],
  ])("does not remove %s", async (_, tag, status, code) => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: `remove-${tag}` });
    const response = await remove(name, tag, ada);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  test.each([
    ["named like a range", "1.x", "1.0.0", 400, "tag-invalid"],
    ["to a missing version", "beta", "9.9.9", 404, "version-not-found"],
    ["to an unpublished version", "beta", "1.1.0", 404, "version-not-found"],
    ["to a yanked version", "beta", "1.2.0", 403, "version-yanked"],
    ["to a value that is not a version", "beta", { version: "1.0.0" }, 400, "version-missing"],
  ])("does not set a tag %s", async (what, tag, version, status, code) => {
    const { name, versions } = await seedOwnPackage(server.hub, ada, {
      bare: what.replaceAll(" ", "-"),
      versions: ["1.0.0", "1.1.0", "1.2.0"],
      tags: { latest: "1.0.0" },
    });
    const now = server.hub.clock();
    const { database } = server.hub;
    await database
      .updateTable("versions")
      .set({ unpublished_at: now })
      .where("id", "=", versions["1.1.0"] ?? 0)
      .execute();
    await database
      .updateTable("versions")
      .set({ yanked_at: now })
      .where("id", "=", versions["1.2.0"] ?? 0)
      .execute();
    const response = await put(name, encodeURIComponent(tag), { as: ada, version });
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
    expect(await tags(name)).toEqual({ latest: "1.0.0" });
  });

  test("returns 403 to other users, and 404 for a private package", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "public" });
    const hidden = await seedOwnPackage(server.hub, ada, { bare: "hidden", access: "restricted" });
    const options = { version: "1.0.0" };
    expect((await put(name, "beta", { as: eve, ...options })).status).toBe(403);
    expect((await put(name, "beta", options)).status).toBe(401);
    expect((await put(hidden.name, "beta", { as: eve, ...options })).status).toBe(404);
    expect((await remove(hidden.name, "latest", eve)).status).toBe(404);
  });

  test("rejects tag changes of an archived package", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, { bare: "old" });
    await server.hub.database
      .updateTable("packages")
      .set({ archived_at: server.hub.clock() })
      .where("id", "=", id)
      .execute();
    const response = await put(name, "beta", { as: ada, version: "1.0.0" });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: "package-archived" },
    ]);
  });
});
