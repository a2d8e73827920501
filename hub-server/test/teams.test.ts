import { describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { makeOrganisation, makePackage } from "./support/organisation.ts";
import { statusAndBody } from "./support/response.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");
  const carol = sharedUser(server, "carol");

  type TeamRequest = readonly [method: string, path: string, body?: unknown];
  const send = (as: TestUser, [method, path, body]: TeamRequest) =>
    statusAndBody(server.request(path, { method, as, ...(body === undefined ? {} : { body }) }));

  /** Creates alice's organisation with bob as a developer and a private package. Resolves to the package's name. */
  async function workshop(name: string): Promise<string> {
    const organisation = await makeOrganisation(server, alice, name);
    await send(alice, ["PUT", `/-/org/${name}/user`, { user: "bob" }]);
    const options = { organisation, creator: alice };
    return (await makePackage(server, `@${name}/engine`, options)).name;
  }

  const visibility = async (as: TestUser, name: string) =>
    (await send(as, ["GET", `/-/package/${name}/visibility`]))[0];

  test("creates a team, lists it for npm and pnpm, and removes it", async () => {
    await workshop("forge");
    expect(await send(alice, ["PUT", "/-/org/forge/team", { name: "smiths" }])).toEqual([
      201,
      { name: "smiths" },
    ]);
    expect(await send(bob, ["GET", "/-/org/forge/team?format=cli"])).toEqual([
      200,
      ["forge:developers", "forge:smiths"],
    ]);
    expect(await send(bob, ["GET", "/-/org/forge/team"])).toEqual([
      200,
      [{ name: "developers" }, { name: "smiths" }],
    ]);
    expect((await send(alice, ["PUT", "/-/org/forge/team", { name: "smiths" }]))[0]).toBe(409);
    expect((await send(alice, ["PUT", "/-/org/forge/team", { name: "a/b" }]))[0]).toBe(400);
    expect((await send(alice, ["DELETE", "/-/team/forge/smiths"]))[0]).toBe(204);
    expect((await send(alice, ["DELETE", "/-/team/forge/smiths"]))[0]).toBe(404);
  });

  test("only members of the organisation join a team", async () => {
    await workshop("mill");
    await send(alice, ["PUT", "/-/org/mill/team", { name: "millers" }]);
    const users = "/-/team/mill/millers/user";
    expect(await send(alice, ["PUT", users, { user: "bob" }])).toEqual([201, { user: "bob" }]);
    expect((await send(alice, ["PUT", users, { user: "bob" }]))[0]).toBe(201);
    expect(await send(alice, ["PUT", users, { user: "carol" }])).toMatchObject([
      403,
      { message: expect.stringContaining("npm org set mill carol") },
    ]);
    expect(await send(bob, ["GET", `${users}?format=cli`])).toEqual([200, ["bob"]]);
    expect(await send(bob, ["GET", users])).toEqual([200, [{ name: "bob" }]]);
    expect((await send(carol, ["GET", users]))[0]).toBe(403);
    expect((await send(alice, ["DELETE", users, { user: "bob" }]))[0]).toBe(204);
    expect((await send(alice, ["DELETE", users, { user: "bob" }]))[0]).toBe(404);
    const events = await server.hub.database
      .selectFrom("events")
      .where("subject", "=", "mill:millers")
      .orderBy("sequence")
      .select("type")
      .execute();
    expect(events.map(({ type }) => type)).toEqual(["team.created", "team.joined", "team.left"]);
  });

  test("administrators change teams, developers do not", async () => {
    const name = await workshop("guild");
    const changes: TeamRequest[] = [
      ["PUT", "/-/org/guild/team", { name: "masters" }],
      ["PUT", "/-/team/guild/masters/user", { user: "bob" }],
      ["PUT", "/-/team/guild/masters/package", { package: name, permissions: "read-only" }],
      ["DELETE", "/-/team/guild/masters/package", { package: name }],
      ["DELETE", "/-/team/guild/masters/user", { user: "bob" }],
      ["DELETE", "/-/team/guild/masters"],
    ];
    for (const change of changes) expect((await send(bob, change))[0]).toBe(403);
    await send(alice, ["PUT", "/-/org/guild/user", { user: "bob", role: "admin" }]);
    for (const change of changes) expect([201, 204]).toContain((await send(bob, change))[0]);
  });

  test("the team developers contains every member and cannot be removed", async () => {
    await workshop("hive");
    expect(await send(bob, ["GET", "/-/team/hive/developers/user?format=cli"])).toEqual([
      200,
      ["alice", "bob"],
    ]);
    expect((await send(alice, ["DELETE", "/-/team/hive/developers"]))[0]).toBe(403);
    const users = "/-/team/hive/developers/user";
    expect((await send(alice, ["DELETE", users, { user: "bob" }]))[0]).toBe(403);
    await send(alice, ["DELETE", "/-/org/hive/user", { user: "bob" }]);
    expect(await send(alice, ["GET", `${users}?format=cli`])).toEqual([200, ["alice"]]);
  });

  test("developers have write permission on a new package until it is revoked", async () => {
    const name = await workshop("dock");
    const packages = "/-/team/dock/developers/package";
    expect(await send(bob, ["GET", packages])).toEqual([200, { [name]: "write" }]);
    expect(await visibility(bob, name)).toBe(200);
    expect((await send(alice, ["DELETE", packages, { package: name }]))[0]).toBe(204);
    expect(await visibility(bob, name)).toBe(404);
    expect(await send(bob, ["GET", packages])).toEqual([200, {}]);
    expect((await send(alice, ["DELETE", packages, { package: name }]))[0]).toBe(404);
  });

  test("team members have the team's permissions", async () => {
    const name = await workshop("yard");
    await send(alice, ["DELETE", "/-/team/yard/developers/package", { package: name }]);
    await send(alice, ["PUT", "/-/org/yard/team", { name: "riggers" }]);
    const packages = "/-/team/yard/riggers/package";
    const grant = (permissions: string) =>
      send(alice, ["PUT", packages, { package: name, permissions }]);
    expect((await grant("read-only"))[0]).toBe(201);
    expect(await visibility(bob, name)).toBe(404);
    await send(alice, ["PUT", "/-/team/yard/riggers/user", { user: "bob" }]);
    expect(await visibility(bob, name)).toBe(200);
    const tag = ["PUT", `/-/package/${name}/dist-tags/beta`, "1.0.0"] as const;
    expect((await send(bob, tag))[0]).toBe(403);
    expect((await grant("read-write"))[0]).toBe(201);
    expect(await send(bob, ["GET", packages])).toEqual([200, { [name]: "write" }]);
    // The user has the permission, so the response is 404 for the missing version.
    expect((await send(bob, tag))[0]).toBe(404);
    expect((await grant("everything"))[0]).toBe(400);
    await send(alice, ["DELETE", "/-/team/yard/riggers"]);
    expect(await visibility(bob, name)).toBe(404);
  });

  test("a team gets permissions only on its organisation's packages", async () => {
    await workshop("north");
    const other = await workshop("south");
    const { name: own } = await seedOwnPackage(server.hub, alice, { bare: "north-star" });
    const packages = "/-/team/north/developers/package";
    for (const each of [other, own])
      expect(
        (await send(alice, ["PUT", packages, { package: each, permissions: "read-only" }]))[0],
      ).toBe(403);
    const nothing = { package: "@north/nothing", permissions: "read-only" };
    expect((await send(alice, ["PUT", packages, nothing]))[0]).toBe(404);
  });

  test("leaving an organisation removes all permissions on its packages", async () => {
    const name = await workshop("ship");
    const { id } = await server.hub.database
      .selectFrom("packages")
      .where("name", "=", name)
      .select("id")
      .executeTakeFirstOrThrow();
    await server.hub.database
      .insertInto("package_users")
      .values({ package_id: id, user_id: bob.id, permission: "write", is_maintainer: true })
      .execute();
    expect(await visibility(bob, name)).toBe(200);
    await send(alice, ["DELETE", "/-/org/ship/user", { user: "bob" }]);
    expect(await visibility(bob, name)).toBe(404);
  });
});
