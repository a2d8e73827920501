import { describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { escapedName, readDocument, sendDocument } from "./support/package-document.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("stars on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const bob = sharedUser(server, "bob");

  const starsOf = async (user: TestUser, as?: TestUser): Promise<unknown> => {
    const response = await server.request(
      `/-/user/${user.name}/stars`,
      as === undefined ? {} : { as },
    );
    return await response.json();
  };
  /** Sends only the list of users with stars, as `npm star` does. */
  const npmStar = async (name: string, user: TestUser, isStarred: boolean) => {
    const { _id, _rev, users } = await readDocument(server, name, user);
    const { [user.name]: _, ...others } = users;
    return await sendDocument(server, name, {
      document: { _id, _rev, users: isStarred ? { ...others, [user.name]: true } : others },
      as: user,
    });
  };

  test("npm stars and unstars with a document", async () => {
    const user = await server.createUser("npm");
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "npm" });
    expect((await npmStar(name, bob, true)).ok).toBe(true);
    expect((await npmStar(name, user, true)).ok).toBe(true);
    expect((await readDocument(server, name)).users).toEqual({ bob: true, npm: true });
    expect((await npmStar(name, user, false)).ok).toBe(true);
    expect((await readDocument(server, name)).users).toEqual({ bob: true });
    const key = encodeURIComponent('"bob"');
    const view = await server.request(`/-/_view/starredByUser?key=${key}`);
    expect(await view.json()).toEqual({ rows: [{ value: name }] });
  });

  test.each([
    ["with a body", (name: string) => ["/-/user/v1/star", { name, package: name }] as const],
    [
      "with an empty body and a JSON content type",
      (name: string) => [`/-/user/package/${escapedName(name)}/star`, undefined] as const,
    ],
  ])("pnpm stars %s", async (what, request) => {
    const bare = `pnpm-${what.length}`;
    const user = await server.createUser(`${bare}-user`);
    const { name } = await seedOwnPackage(server.hub, ada, { bare });
    const [path, body] = request(name);
    const headers = { "content-type": "application/json" };
    for (const method of ["PUT", "PUT"])
      expect((await server.request(path, { method, body, as: user, headers })).status).toBe(200);
    const mine = await server.request("/-/user/v1/star", { as: user });
    expect(await mine.json()).toEqual([name]);
    for (const method of ["DELETE", "DELETE"])
      expect((await server.request(path, { method, body, as: user, headers })).status).toBe(200);
    expect(await starsOf(user)).toEqual([]);
  });

  test("a star does not change the package and counts in search", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, { bare: "counted" });
    const { database } = server.hub;
    const tag = `/-/package/${name}/dist-tags/next`;
    await server.request(tag, { method: "PUT", body: "1.0.0", as: ada });
    const before = await readDocument(server, name);
    const users = await Promise.all(
      Array.from({ length: 8 }, (_, index) => server.createUser(`reader-${index}`)),
    );
    const star = (user: TestUser) =>
      server.request("/-/user/v1/star", { method: "PUT", body: { package: name }, as: user });
    await Promise.all(users.map(star));
    const { stars } = await database
      .selectFrom("search_entries")
      .where("package_id", "=", id)
      .select("stars")
      .executeTakeFirstOrThrow();
    expect(stars).toBe(8);
    expect((await readDocument(server, name))._rev).toBe(before._rev);
  });

  test("users who cannot read a package cannot star it or see its stars", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, {
      bare: "hidden",
      access: "restricted",
    });
    const star = (as: TestUser) =>
      server.request("/-/user/v1/star", { method: "PUT", body: { package: name }, as });
    expect((await star(bob)).status).toBe(404);
    expect((await star(ada)).status).toBe(200);
    expect(await starsOf(ada, ada)).toContain(name);
    expect(await starsOf(ada, bob)).not.toContain(name);
    expect(await starsOf(ada)).not.toContain(name);
  });

  test("a star needs a token with write permission and a package name", async () => {
    const user = await server.createUser("reader");
    const { name } = await seedOwnPackage(server.hub, ada, { bare: "tokens" });
    await server.hub.database
      .updateTable("tokens")
      .set({ readonly: true })
      .where("user_id", "=", user.id)
      .execute();
    const path = "/-/user/v1/star";
    const body = { package: name };
    expect((await server.request(path, { method: "PUT", body })).status).toBe(401);
    const response = await server.request(path, { method: "PUT", body, as: user });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: "read-only-token" },
    ]);
    const invalid = await server.request(path, { method: "PUT", body: {}, as: bob });
    expect([invalid.status, await invalid.json()]).toMatchObject([
      400,
      { code: "invalid-request" },
    ]);
  });
});
