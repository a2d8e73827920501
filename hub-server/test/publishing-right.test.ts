import { randomUUID } from "node:crypto";

import { describe, expect, test } from "vitest";

import { newToken, secretHash, tokenPreview } from "../src/identity/credentials/secret.ts";
import { databases, type TestUser } from "./support/hub.ts";
import { makeOrganisation, makePackage } from "./support/organisation.ts";
import { publish } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");
  const admin = sharedUser(server, "admin", { isAdmin: true });

  const tryPublish = (name: string, as: TestUser, options: { version?: string } = {}) =>
    statusAndBody(publish(server, name, { as, ...options }));

  const problem = (message: string) =>
    expect.objectContaining({ error: expect.stringContaining(message) });

  async function limitedToken(user: TestUser, limits: { packages?: string[]; scopes?: string[] }) {
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

  test("rejects other users in a user's scope", async () => {
    expect((await tryPublish("@alice/one", alice))[0]).toBe(201);
    expect(await tryPublish("@alice/two", bob)).toEqual([
      404,
      problem("belongs to another account"),
    ]);
    expect(await tryPublish("@alice/one", bob, { version: "1.0.1" })).toEqual([
      403,
      problem("npm owner ls @alice/one"),
    ]);
  });

  test("lets members publish in their organisation's scope", async () => {
    await makeOrganisation(server, alice, "factory");
    expect((await tryPublish("@factory/lathe", bob))[0]).toBe(404);
    const body = { user: "bob" };
    await server.request("/-/org/factory/user", { method: "PUT", as: alice, body });
    expect((await tryPublish("@factory/lathe", bob))[0]).toBe(201);
    const carol = await server.createUser("carol");
    await server.request("/-/org/factory/user", {
      method: "PUT",
      as: alice,
      body: { user: "carol" },
    });
    expect((await tryPublish("@factory/lathe", carol, { version: "1.0.1" }))[0]).toBe(201);
    await server.request("/-/org/factory/user", { method: "DELETE", as: alice, body });
    expect((await tryPublish("@factory/lathe", bob, { version: "1.0.2" }))[0]).toBe(403);
  });

  test("returns the same error for a private package of another owner as for a missing one", async () => {
    const organisation = await makeOrganisation(server, alice, "secretive");
    const { name } = await makePackage(server, "@secretive/plan", {
      organisation,
      creator: alice,
    });
    const [status, body] = await tryPublish(name, bob);
    const [absentStatus, absent] = await tryPublish("@secretive/void", bob);
    expect([status, JSON.stringify(body)]).toEqual([
      absentStatus,
      JSON.stringify(absent).replaceAll("@secretive/void", name),
    ]);
    expect(status).toBe(404);
  });

  test("returns 403 to a member of the organisation who cannot read its private package", async () => {
    const organisation = await makeOrganisation(server, alice, "tight");
    await server.request("/-/org/tight/user", { method: "PUT", as: alice, body: { user: "bob" } });
    const { name } = await makePackage(server, "@tight/lid", { organisation, creator: alice });
    const body = { package: name };
    await server.request("/-/team/tight/developers/package", { method: "DELETE", as: alice, body });
    expect(await tryPublish(name, bob)).toEqual([
      403,
      problem("bob may not read the private package"),
    ]);
  });

  test("returns an error for a scope without an account", async () => {
    expect(await tryPublish("@nowhere/thing", alice)).toEqual([
      404,
      problem("no user or organisation nowhere"),
    ]);
  });

  test("only hub administrators publish unscoped names", async () => {
    expect(await tryPublish("lonely", alice)).toEqual([403, problem("@alice/lonely")]);
    expect((await tryPublish("lonely", admin))[0]).toBe(201);
    expect((await tryPublish("lonely", alice, { version: "1.0.1" }))[0]).toBe(403);
  });

  test("rejects a name similar to another owner's package, but not to the owner's own", async () => {
    await makeOrganisation(server, alice, "gymnasium");
    await tryPublish("@gymnasium/cart-pole", alice);
    expect((await tryPublish("@gymnasium/cartpole", alice))[0]).toBe(201);
    await makeOrganisation(server, admin, "gym");
    const squatter = await makeOrganisation(server, bob, "gymnas");
    expect(squatter.name).toBe("gymnas");
    expect(await tryPublish("@gymnas/iumcart-pole", bob)).toEqual([
      403,
      expect.objectContaining({ code: "name-too-similar" }),
    ]);
    expect((await tryPublish("@gymnas/pendulum", bob))[0]).toBe(201);
  });

  test("similarity checks do not reveal private names", async () => {
    const organisation = await makeOrganisation(server, alice, "hushed");
    await makePackage(server, "@hushed/tones-of-it", { organisation, creator: alice });
    await makeOrganisation(server, bob, "hushedtones");
    expect((await tryPublish("@hushedtones/of-it", bob))[0]).toBe(201);
  });

  test("a limited token publishes only its packages and scopes", async () => {
    const one = await limitedToken(alice, { packages: ["@alice/mine"] });
    expect((await tryPublish("@alice/mine", one))[0]).toBe(201);
    expect(await tryPublish("@alice/other", one)).toEqual([404, problem("scope does not include")]);
    await tryPublish("@alice/public", alice);
    expect((await tryPublish("@alice/public", one, { version: "1.0.1" }))[0]).toBe(403);
    const scoped = await limitedToken(alice, { scopes: ["alice"] });
    expect((await tryPublish("@alice/other", scoped))[0]).toBe(201);
    expect((await tryPublish("@factory/other", scoped))[0]).toBe(404);
  });

  test("a limited token cannot read or change organisations", async () => {
    const as = await limitedToken(alice, { packages: ["@alice/mine"] });
    const requests = [
      ["PUT", "/-/org/factory/user", { user: "bob" }],
      ["GET", "/-/org/factory/user"],
      ["POST", "/api/v1/organisations", { name: "from-a-limited-token" }],
    ] as const;
    for (const [method, path, body] of requests) {
      const requestOptions = { method, as, ...(body === undefined ? {} : { body }) };
      expect([path, (await server.request(path, requestOptions)).status]).toEqual([path, 403]);
    }
    const { items } = (await (await server.request("/-/events?limit=1000", { as })).json()) as {
      items: { type?: string }[];
    };
    expect(items.map(({ type }) => type)).not.toContain("member.added");
    const whole = await server.request("/-/events?limit=1000", { as: alice });
    expect(await whole.text()).toContain("member.added");
  });

  test("accepts two concurrent first versions by two members of the organisation", async () => {
    await makeOrganisation(server, alice, "race");
    await server.request("/-/org/race/user", { method: "PUT", as: alice, body: { user: "bob" } });
    const both = await Promise.all([
      tryPublish("@race/car", alice, { version: "1.0.0" }),
      tryPublish("@race/car", bob, { version: "1.0.1" }),
    ]);
    expect(both.map(([status]) => status)).toEqual([201, 201]);
    const document = (await (await server.request("/@race/car")).json()) as { versions: object };
    expect(Object.keys(document.versions).sort()).toEqual(["1.0.0", "1.0.1"]);
  });
});
