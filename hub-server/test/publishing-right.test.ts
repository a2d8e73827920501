import { randomUUID } from "node:crypto";

import { databases, type TestUser } from "@envs/hub-testing/hub";
import { makeOrganisation, makePackage } from "@envs/hub-testing/organisation";
import { publish } from "@envs/hub-testing/publish";
import { statusAndBody } from "@envs/hub-testing/response";
import { sharedHub, sharedUser } from "@envs/hub-testing/shared-hub";
import { describe, expect, test } from "vitest";

import { newToken, secretHash, tokenPreview } from "../src/identity/credentials/secret.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");
  const admin = sharedUser(server, "admin", { isAdmin: true });

  const tried = (name: string, as: TestUser, options: { version?: string } = {}) =>
    statusAndBody(publish(server, name, { as, ...options }));

  const said = (message: string) =>
    expect.objectContaining({ error: expect.stringContaining(message) });

  async function limited(user: TestUser, limits: { packages?: string[]; scopes?: string[] }) {
    const token = newToken();
    await server.hub.database
      .insertInto("tokens")
      .values({
        id: randomUUID(),
        user_id: user.id,
        secret_hash: secretHash(token),
        preview: tokenPreview(token),
        packages: limits.packages ?? null,
        scopes: limits.scopes ?? null,
        created_at: server.hub.clock(),
      })
      .execute();
    return { ...user, token };
  }

  test("only the user publishes in their scope", async () => {
    expect((await tried("@alice/one", alice))[0]).toBe(201);
    expect(await tried("@alice/two", bob)).toEqual([404, said("belongs to another account")]);
    expect(await tried("@alice/one", bob, { version: "1.0.1" })).toEqual([
      403,
      said("npm owner ls @alice/one"),
    ]);
  });

  test("members publish in an organisation's scope, and all developers to new packages", async () => {
    await makeOrganisation(server, alice, "factory");
    expect((await tried("@factory/lathe", bob))[0]).toBe(404);
    const body = { user: "bob" };
    await server.request("/-/org/factory/user", { method: "PUT", as: alice, body });
    expect((await tried("@factory/lathe", bob))[0]).toBe(201);
    const carol = await server.createUser("carol");
    await server.request("/-/org/factory/user", {
      method: "PUT",
      as: alice,
      body: { user: "carol" },
    });
    expect((await tried("@factory/lathe", carol, { version: "1.0.1" }))[0]).toBe(201);
    await server.request("/-/org/factory/user", { method: "DELETE", as: alice, body });
    expect((await tried("@factory/lathe", bob, { version: "1.0.2" }))[0]).toBe(403);
  });

  test("a private package that the user cannot read looks like a free name", async () => {
    const organisation = await makeOrganisation(server, alice, "secretive");
    const { name } = await makePackage(server, "@secretive/plan", {
      organisation,
      creator: alice,
    });
    const [status, body] = await tried(name, bob);
    const [absentStatus, absent] = await tried("@secretive/void", bob);
    expect([status, JSON.stringify(body)]).toEqual([
      absentStatus,
      JSON.stringify(absent).replaceAll("@secretive/void", name),
    ]);
    expect(status).toBe(404);
  });

  test("a member who cannot read a private package learns that the name exists", async () => {
    const organisation = await makeOrganisation(server, alice, "tight");
    await server.request("/-/org/tight/user", { method: "PUT", as: alice, body: { user: "bob" } });
    const { name } = await makePackage(server, "@tight/lid", { organisation, creator: alice });
    const body = { package: name };
    await server.request("/-/team/tight/developers/package", { method: "DELETE", as: alice, body });
    expect(await tried(name, bob)).toEqual([403, said("bob may not read the private package")]);
  });

  test("returns an error for a scope without an account", async () => {
    expect(await tried("@nowhere/thing", alice)).toEqual([
      404,
      said("no user or organisation nowhere"),
    ]);
  });

  test("only hub administrators publish unscoped names", async () => {
    expect(await tried("lonely", alice)).toEqual([403, said("@alice/lonely")]);
    expect((await tried("lonely", admin))[0]).toBe(201);
    expect((await tried("lonely", alice, { version: "1.0.1" }))[0]).toBe(403);
  });

  test("rejects a name similar to another owner's package, but not to the owner's own", async () => {
    await makeOrganisation(server, alice, "gymnasium");
    await tried("@gymnasium/cart-pole", alice);
    expect((await tried("@gymnasium/cartpole", alice))[0]).toBe(201);
    await makeOrganisation(server, admin, "gym");
    const squatter = await makeOrganisation(server, bob, "gymnas");
    expect(squatter.name).toBe("gymnas");
    expect(await tried("@gymnas/iumcart-pole", bob)).toEqual([
      403,
      expect.objectContaining({ code: "name-too-similar" }),
    ]);
    expect((await tried("@gymnas/pendulum", bob))[0]).toBe(201);
  });

  test("similarity checks do not reveal private names", async () => {
    const organisation = await makeOrganisation(server, alice, "hushed");
    await makePackage(server, "@hushed/tones-of-it", { organisation, creator: alice });
    await makeOrganisation(server, bob, "hushedtones");
    expect((await tried("@hushedtones/of-it", bob))[0]).toBe(201);
  });

  test("a token limited to packages publishes those, also new ones", async () => {
    const one = await limited(alice, { packages: ["@alice/mine"] });
    expect((await tried("@alice/mine", one))[0]).toBe(201);
    expect(await tried("@alice/other", one)).toEqual([404, said("scope does not include")]);
    await tried("@alice/public", alice);
    expect((await tried("@alice/public", one, { version: "1.0.1" }))[0]).toBe(403);
    const scoped = await limited(alice, { scopes: ["alice"] });
    expect((await tried("@alice/other", scoped))[0]).toBe(201);
    expect((await tried("@factory/other", scoped))[0]).toBe(404);
  });

  test("a limited token cannot change accounts and organisations", async () => {
    const as = await limited(alice, { packages: ["@alice/mine"] });
    const url = "https://example.com/hook";
    const asked = [
      ["PUT", "/-/org/factory/user", { user: "bob" }],
      ["GET", "/-/org/factory/user"],
      ["POST", "/api/v1/organisations", { name: "from-a-limited-token" }],
      ["GET", "/api/v1/webhooks"],
      ["POST", "/api/v1/webhooks", { url }],
      ["POST", "/api/v1/webhooks", { url, package: "@alice/mine" }],
    ] as const;
    for (const [method, path, body] of asked) {
      const given = { method, as, ...(body === undefined ? {} : { body }) };
      expect([path, (await server.request(path, given)).status]).toEqual([path, 403]);
    }
    const { items } = (await (await server.request("/-/events?limit=1000", { as })).json()) as {
      items: { type?: string }[];
    };
    expect(items.map(({ type }) => type)).not.toContain("member.added");
    const whole = await server.request("/-/events?limit=1000", { as: alice });
    expect(await whole.text()).toContain("member.added");
  });

  test("of two users who create one package concurrently, both publish if the scope allows it", async () => {
    await makeOrganisation(server, alice, "race");
    await server.request("/-/org/race/user", { method: "PUT", as: alice, body: { user: "bob" } });
    const both = await Promise.all([
      tried("@race/car", alice, { version: "1.0.0" }),
      tried("@race/car", bob, { version: "1.0.1" }),
    ]);
    expect(both.map(([status]) => status)).toEqual([201, 201]);
    const document = (await (await server.request("/@race/car")).json()) as { versions: object };
    expect(Object.keys(document.versions).sort()).toEqual(["1.0.0", "1.0.1"]);
  });
});
