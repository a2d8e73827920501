import { createHash } from "node:crypto";

import { describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { statusAndBody } from "./support/response.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");

  const create = (as: TestUser, name: string) =>
    statusAndBody(server.request("/api/v1/organisations", { method: "POST", as, body: { name } }));
  const set = (as: TestUser, organisation: string, body: unknown) =>
    statusAndBody(server.request(`/-/org/${organisation}/user`, { method: "PUT", as, body }));
  const remove = (as: TestUser, organisation: string, user: string) =>
    statusAndBody(
      server.request(`/-/org/${organisation}/user`, { method: "DELETE", as, body: { user } }),
    );
  const list = (as: TestUser, organisation: string) =>
    statusAndBody(server.request(`/-/org/${organisation}/user`, { as }));

  async function events(subject: string): Promise<unknown[]> {
    const rows = await server.hub.database
      .selectFrom("events")
      .where("subject", "=", subject)
      .orderBy("sequence")
      .select(["type", "actor", "detail"])
      .execute();
    return rows.map(({ type, actor, detail }) => [type, actor, detail]);
  }

  test("the creator of an organisation owns it and joins the team developers", async () => {
    expect(await create(alice, "acme")).toEqual([
      201,
      {
        name: "acme",
        createdAt: expect.any(String),
        role: "owner",
        members: [{ name: "alice", role: "owner" }],
        teams: ["developers"],
      },
    ]);
    expect(await list(alice, "acme")).toEqual([200, { alice: "owner" }]);
    const team = server.request("/-/team/acme/developers/user?format=cli", { as: alice });
    expect(await statusAndBody(team)).toEqual([200, ["alice"]]);
    expect(await events("acme")).toEqual([["organisation.created", "alice", {}]]);
  });

  test("an owner adds members, changes their role and removes them with npm's requests", async () => {
    await create(alice, "builders");
    expect(await set(alice, "builders", { user: "bob" })).toEqual([
      200,
      { org: { name: "builders", size: 2 }, user: "bob", role: "developer" },
    ]);
    expect(await set(alice, "builders", { user: "bob", role: "admin" })).toEqual([
      200,
      { org: { name: "builders", size: 2 }, user: "bob", role: "admin" },
    ]);
    expect(await list(bob, "builders")).toEqual([200, { alice: "owner", bob: "admin" }]);
    expect(await remove(alice, "builders", "bob")).toEqual([204, undefined]);
    expect(await list(alice, "builders")).toEqual([200, { alice: "owner" }]);
    expect(await events("builders")).toEqual([
      ["organisation.created", "alice", {}],
      ["member.added", "alice", { user: "bob", role: "developer" }],
      ["member.changed", "alice", { user: "bob", role: "admin" }],
      ["member.removed", "alice", { user: "bob" }],
    ]);
  });

  test("administrators and developers cannot manage members, but can leave", async () => {
    await create(alice, "workshop");
    for (const role of ["developer", "admin"]) {
      await set(alice, "workshop", { user: "bob", role });
      expect(await set(bob, "workshop", { user: "bob", role: "owner" })).toMatchObject([
        403,
        { code: "forbidden", message: expect.stringContaining(`bob has the role ${role}`) },
      ]);
      expect((await remove(bob, "workshop", "alice"))[0]).toBe(403);
    }
    expect((await remove(bob, "workshop", "bob"))[0]).toBe(204);
  });

  test("the last owner cannot leave or step down", async () => {
    await create(alice, "throne");
    const rejection = [403, expect.objectContaining({ code: "last-owner" })];
    expect(await remove(alice, "throne", "alice")).toEqual(rejection);
    expect(await set(alice, "throne", { user: "alice", role: "developer" })).toEqual(rejection);
    await set(alice, "throne", { user: "bob", role: "owner" });
    expect((await remove(alice, "throne", "alice"))[0]).toBe(204);
    expect(await remove(bob, "throne", "bob")).toEqual(rejection);
  });

  test("keeps one of two owners who leave concurrently", async () => {
    await create(alice, "duumvirate");
    await set(alice, "duumvirate", { user: "bob", role: "owner" });
    const results = await Promise.all([
      remove(alice, "duumvirate", "alice"),
      remove(bob, "duumvirate", "bob"),
    ]);
    expect(results.map(([status]) => status).sort()).toEqual([204, 403]);
  });

  test("members and teams are visible only to members", async () => {
    await create(alice, "lodge");
    expect((await list(bob, "lodge"))[0]).toBe(403);
    expect(
      (await statusAndBody(server.request("/api/v1/organisations/lodge", { as: bob })))[0],
    ).toBe(403);
    expect((await statusAndBody(server.request("/-/org/lodge/user")))[0]).toBe(401);
    await set(alice, "lodge", { user: "carol-of-nowhere" });
    const [, log] = await statusAndBody(server.request("/-/events?limit=1000", { as: bob }));
    const visibleEvents = (log as { items: { subject?: string; type?: string }[] }).items;
    expect(
      visibleEvents.filter(({ subject }) => subject === "lodge").map(({ type }) => type),
    ).toEqual(["organisation.created"]);
  });

  test("organisations and users share one namespace, and similar names are rejected", async () => {
    await create(alice, "tic-tac-toe");
    expect(await create(bob, "tic-tac-toe")).toMatchObject([409, { code: "name-taken" }]);
    expect(await create(bob, "alice")).toMatchObject([409, { code: "name-taken" }]);
    expect(await create(bob, "tictact0e")).toMatchObject([403, { code: "name-too-similar" }]);
    for (const name of ["hub-team", "the-hub", "hubs"])
      expect(await create(bob, name)).toMatchObject([403, { code: "name-too-similar" }]);
    const root = await server.createUser("root-admin", { isAdmin: true });
    expect((await create(root, "tictact0e"))[0]).toBe(201);
    for (const name of ["npm", "envs"])
      expect(await create(bob, name)).toMatchObject([400, { code: "account-name-reserved" }]);
    expect(await create(bob, "Bob & Sons")).toMatchObject([400, { code: "account-name-invalid" }]);
    expect((await create(bob, ""))[0]).toBe(400);
  });

  test("accepts one of two concurrent requests for a name", async () => {
    const results = await Promise.all([create(alice, "gold-rush"), create(bob, "gold-rush")]);
    expect(results.map(([status]) => status).sort()).toEqual([201, 409]);
  });

  test("limits a user to twenty new organisations a week", async () => {
    const carol = await server.createUser("carol");
    const unlike = (count: number): string => createHash("sha256").update(`${count}`).digest("hex");
    for (let count = 0; count < 20; count += 1)
      expect((await create(carol, unlike(count)))[0]).toBe(201);
    expect(await create(carol, unlike(20))).toMatchObject([
      429,
      { code: "too-many-organisations" },
    ]);
    server.advanceClock(8 * 24 * 3_600_000);
    expect((await create(carol, unlike(20)))[0]).toBe(201);
  });

  test("returns 404 for a missing organisation or user, and 400 for an invalid role", async () => {
    await create(alice, "census");
    expect(await set(alice, "census", { user: "nobody-here" })).toMatchObject([
      404,
      {
        code: "not-found",
        error: expect.stringMatching(/nobody-here is not on this hub\..*census.*invit/),
      },
    ]);
    expect((await remove(alice, "census", "bob"))[0]).toBe(404);
    expect((await list(alice, "no-such-organisation"))[0]).toBe(404);
    expect((await list(alice, "bob"))[0]).toBe(404);
    expect((await set(alice, "census", { user: "bob", role: "king" }))[0]).toBe(400);
    expect((await set(alice, "census", "bob"))[0]).toBe(400);
  });

  test("lists a user's organisations with the role", async () => {
    const dave = await server.createUser("dave");
    await create(dave, "daves-own");
    await create(alice, "daves-work");
    await set(alice, "daves-work", { user: "dave", role: "admin" });
    expect(
      await statusAndBody(server.request("/api/v1/organisations", { as: dave })),
    ).toMatchObject([
      200,
      {
        items: [
          { name: "daves-own", role: "owner" },
          { name: "daves-work", role: "admin" },
        ],
      },
    ]);
  });
});
