import { randomUUID } from "node:crypto";

import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { hasPermission, readableBy } from "../src/access/permissions/permission-query.ts";
import type { Identity } from "../src/identity/request/identity.ts";
import { stagedPage } from "../src/packages/stage/staged.ts";
import type { Database } from "../src/platform/database/tables.ts";
import { databases, type TestUser } from "./support/hub.ts";
import { makeOrganisation, makePackage } from "./support/organisation.ts";
import { publishBody } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { seedOwnPackage, seedPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");

  const read = (name: string, what: string, as?: TestUser) =>
    statusAndBody(server.request(`/-/package/${name}/${what}`, as === undefined ? {} : { as }));
  const change = (name: string, body: unknown, as = alice) =>
    statusAndBody(server.request(`/-/package/${name}/access`, { method: "POST", as, body }));

  test("shows anonymous clients that a package is public", async () => {
    const { name } = await seedOwnPackage(server.hub, alice, { bare: "open" });
    expect(await read(name.replace("/", "%2f"), "visibility")).toEqual([200, { public: true }]);
    expect(await read(name, "access")).toEqual([
      200,
      {
        access: "public",
        publish_requires_tfa: false,
        automation_token_overrides_tfa: true,
      },
    ]);
  });

  test("turns a package without downloads private, and public again", async () => {
    const { name } = await seedOwnPackage(server.hub, alice, { bare: "shy" });
    expect((await change(name, { access: "restricted" }))[0]).toBe(200);
    expect(await read(name, "visibility", alice)).toEqual([200, { public: false }]);
    expect((await read(name, "visibility", bob))[0]).toBe(404);
    expect((await server.request(`/${name}`)).status).toBe(404);
    expect((await change(name, { access: "public" }))[0]).toBe(200);
    expect((await server.request(`/${name}`)).status).toBe(200);
    const events = await server.hub.database
      .selectFrom("events")
      .where("subject", "=", name)
      .orderBy("sequence")
      .select(["type", "detail"])
      .execute();
    expect(events).toEqual([
      { type: "package.access-changed", detail: { access: "restricted" } },
      { type: "package.access-changed", detail: { access: "public" } },
    ]);
  });

  test("returns an error when a downloaded package would turn private", async () => {
    const { name } = await seedPackage(server.hub, "@alice/popular", {
      owner: alice,
      versions: [{ version: "1.0.0", tarball: Buffer.from("a tarball") }],
    });
    expect((await server.request(`/${name}/-/popular-1.0.0.tgz`)).status).toBe(200);
    // Downloads are written every second.
    const downloads = () =>
      server.hub.database.selectFrom("downloads").select("count").executeTakeFirst();
    await expect.poll(downloads).toEqual({ count: 1 });
    expect(await change(name, { access: "restricted" })).toMatchObject([
      403,
      { code: "access-only-widens", message: expect.stringContaining("cannot become private") },
    ]);
  });

  test("rejects an access change by a client that does not administer the package", async () => {
    const { id, name } = await seedOwnPackage(server.hub, alice, { bare: "firm" });
    expect((await change(name, { access: "restricted" }, bob))[0]).toBe(403);
    await server.hub.database
      .insertInto("package_users")
      .values({ package_id: id, user_id: bob.id, permission: "write" })
      .execute();
    expect((await change(name, { access: "restricted" }, bob))[0]).toBe(403);
    expect(
      (
        await statusAndBody(
          server.request(`/-/package/${name}/access`, { method: "POST", body: {} }),
        )
      )[0],
    ).toBe(401);
  });

  test("rejects an invalid access body", async () => {
    const { name } = await seedOwnPackage(server.hub, alice, { bare: "mute" });
    for (const body of [{}, [], "public", { access: "secret" }, { publish_requires_tfa: "yes" }])
      expect(await change(name, body)).toMatchObject([400, { code: "access-invalid" }]);
  });

  describe("requiring a second factor for a package", () => {
    let carol: TestUser;

    beforeAll(async () => {
      carol = await server.createUser("carol");
      const { database, clock } = server.hub;
      await database
        .updateTable("users")
        .where("account_id", "=", carol.id)
        .set({ totp_secret: "A", totp_confirmed_at: clock() })
        .execute();
      await database
        .updateTable("tokens")
        .where("user_id", "=", carol.id)
        .set({ bypass_2fa: true })
        .execute();
    });

    const tag = (name: string, as: TestUser) =>
      server.request(`/-/package/${name}/dist-tags/beta`, { method: "PUT", as, body: "1.0.0" });

    test("applies to every maintainer, and to tokens that bypass 2FA if the package requires it", async () => {
      const { id, name } = await seedOwnPackage(server.hub, carol, { bare: "vault" });
      await server.hub.database
        .insertInto("package_users")
        .values({ package_id: id, user_id: bob.id, permission: "write" })
        .execute();
      expect(await change(name, { publish_requires_tfa: true }, carol)).toMatchObject([
        200,
        { publish_requires_tfa: true, automation_token_overrides_tfa: true },
      ]);
      expect((await tag(name, bob)).status).toBe(403);
      expect((await tag(name, carol)).status).toBe(201);
      await change(name, { automation_token_overrides_tfa: false }, carol);
      const response = await tag(name, carol);
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
    });

    test("applies to the approval of a staged version", async () => {
      const name = "@carol/gate";
      const { id } = await seedOwnPackage(server.hub, carol, { bare: "gate" });
      const body = publishBody(name, { version: "1.0.1" });
      const response = { method: "POST", as: carol, body };
      const staged = await server.request(`/-/stage/package/${name}`, response);
      const { stageId } = (await staged.json()) as { stageId: string };
      const strict = { requires_2fa: true, allows_bypass_2fa: false };
      await server.hub.database.updateTable("packages").where("id", "=", id).set(strict).execute();
      const approve = server.request(`/-/stage/${stageId}/approve`, { method: "POST", as: carol });
      expect((await approve).status).toBe(401);
    });

    test("is rejected for a user without a second factor", async () => {
      const { name } = await seedOwnPackage(server.hub, alice, { bare: "trap" });
      expect(await change(name, { publish_requires_tfa: true })).toMatchObject([
        403,
        { code: "second-factor-missing" },
      ]);
    });
  });

  test("lists collaborators for npm and pnpm to users with write permission", async () => {
    const { id, name } = await seedOwnPackage(server.hub, alice, { bare: "choir" });
    expect((await read(name, "collaborators", bob))[0]).toBe(403);
    await server.hub.database
      .insertInto("package_users")
      .values({ package_id: id, user_id: bob.id, permission: "read" })
      .execute();
    expect(await read(name, "collaborators", alice)).toEqual([
      200,
      { alice: "write", bob: "read" },
    ]);
    expect(await read(name, "collaborators?format=cli&user=bob", alice)).toEqual([
      200,
      [{ user: "bob", permissions: "read-only" }],
    ]);
  });

  test("lists the packages of an organisation or user that the client may read", async () => {
    const [ada, ben] = [await server.createUser("ada"), await server.createUser("ben")];
    const organisation = await makeOrganisation(server, ada, "lists");
    await makePackage(server, "@lists/open", { organisation, creator: ada, access: "public" });
    await makePackage(server, "@lists/hidden", { organisation, creator: ada });
    await seedOwnPackage(server.hub, ada, { bare: "own" });
    const list = (path: string, as?: TestUser) =>
      statusAndBody(server.request(path, as === undefined ? {} : { as }));
    const all = { "@lists/hidden": "write", "@lists/open": "write" };
    expect(await list("/-/org/lists/package", ada)).toEqual([200, all]);
    expect(await list("/-/org/lists/package")).toEqual([200, { "@lists/open": "write" }]);
    expect((await list("/-/org/ada/package", ada))[0]).toBe(404);
    const everything = { "@ada/own": "write", ...all };
    expect(await list("/-/user/ada/package", ada)).toEqual([200, everything]);
    expect(await list("/-/-/package?format=cli", ada)).toEqual([200, everything]);
    expect(await list("/-/user/ada/package", ben)).toEqual([
      200,
      { "@ada/own": "write", "@lists/open": "write" },
    ]);
    expect((await list("/-/user/lists/package", ada))[0]).toBe(404);
  });

  test("lists exactly the packages and staged versions that the permission rule allows", async () => {
    const { database } = server.hub;
    const people = await Promise.all(["p1", "p2", "p3"].map((name) => server.createUser(name)));
    const organisation = await database
      .insertInto("accounts")
      .values({ name: "property", kind: "organisation", created_at: server.hub.clock() })
      .returning("id")
      .executeTakeFirstOrThrow();
    const team = await database
      .insertInto("teams")
      .values({ organisation_id: organisation.id, name: "some", created_at: server.hub.clock() })
      .returning("id")
      .executeTakeFirstOrThrow();
    const owners = [...people, organisation];
    const seededNames = await Promise.all(
      owners.flatMap((owner, at) =>
        (["public", "restricted"] as const).map(async (access) => {
          const name = `@scope${at}/${access}`;
          await database
            .insertInto("packages")
            .values({
              name,
              scope: `scope${at}`,
              owner_id: owner.id,
              access,
              created_at: server.hub.clock(),
              modified_at: server.hub.clock(),
            })
            .execute();
          return name;
        }),
      ),
    );
    const packages = await database
      .selectFrom("packages")
      .where("name", "in", seededNames)
      .selectAll()
      .execute();
    const newPackages = owners.map((owner, at) => ({
      id: 0,
      name: `@scope${at}/new`,
      scope: `scope${at}`,
      owner_id: owner.id,
      access: "restricted" as const,
    }));
    const staged = [...packages, ...newPackages].map((found, at) => ({
      found,
      staged_by: people[at % people.length]!.id,
    }));
    await database
      .insertInto("staged_versions")
      .values(
        staged.map(({ found: { name, owner_id }, staged_by }) => ({
          id: randomUUID(),
          name,
          version: "1.0.0",
          tag: "latest",
          access: null,
          blob: "",
          shasum: "",
          attestations: "[]",
          hints: "{}",
          size: 0,
          // The scope's owner at the time of staging. For an existing package, its current owner counts instead.
          owner_id: seededNames.includes(name) ? alice.id : owner_id,
          staged_by,
          created_at: server.hub.clock(),
        })),
      )
      .execute();
    const person = fc.constantFrom(...people);
    const one = fc.constantFrom(...packages);
    const limits = (values: readonly string[]) =>
      fc.option(fc.subarray([...values]), { nil: null });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          asks: fc.option(person, { nil: undefined }),
          isAdmin: fc.boolean(),
          names: limits([...seededNames, ...newPackages.map(({ name }) => name)]),
          scopes: limits(["scope0", "scope1", "scope2", "scope3"]),
          role: fc.option(fc.constantFrom("owner", "admin", "developer"), { nil: undefined }),
          isInTeam: fc.boolean(),
          granted: fc.option(one, { nil: undefined }),
          named: fc.option(one, { nil: undefined }),
          permission: fc.constantFrom("read", "write"),
          readonly: fc.boolean(),
          permissions: fc.option(fc.constant(["createStagedPackage"]), { nil: null, freq: 1 }),
        }),
        async ({ asks, isAdmin, role, isInTeam, granted, named, permission, ...rest }) => {
          await database
            .transaction()
            .execute(async (transaction) => {
              const user_id = asks?.id;
              if (user_id !== undefined && role !== undefined)
                await transaction
                  .insertInto("memberships")
                  .values({
                    organisation_id: organisation.id,
                    user_id,
                    role,
                    created_at: new Date(0),
                  })
                  .execute();
              if (user_id !== undefined && isInTeam)
                await transaction
                  .insertInto("team_members")
                  .values({ team_id: team.id, user_id })
                  .execute();
              if (granted !== undefined)
                await transaction
                  .insertInto("team_packages")
                  .values({ team_id: team.id, package_id: granted.id, permission })
                  .execute();
              if (user_id !== undefined && named !== undefined)
                await transaction
                  .insertInto("package_users")
                  .values({ user_id, package_id: named.id, permission })
                  .execute();
              const identity: Identity | undefined = asks && {
                userId: asks.id,
                name: asks.name,
                isAdmin,
                hasSecondFactor: false,
                token: {
                  id: "",
                  purpose: "user",
                  readonly: rest.readonly,
                  bypassesSecondFactor: false,
                  packages: rest.names,
                  scopes: rest.scopes,
                  permissions: rest.permissions,
                },
              };
              const found = await transaction
                .selectFrom("packages")
                .where("name", "in", seededNames)
                .where(readableBy(identity))
                .select("name")
                .execute();
              const levelOf = (package_: ModelPackage): number =>
                modelLevel(package_, {
                  identity,
                  administered: [
                    user_id,
                    role === "owner" || role === "admin" ? organisation.id : undefined,
                  ],
                  grants: [
                    ...(named === undefined ? [] : [{ packageId: named.id, permission }]),
                    ...(granted === undefined || !isInTeam
                      ? []
                      : [{ packageId: granted.id, permission }]),
                  ],
                });
              const allowed = (required: (typeof levels)[number]): string[] =>
                packages
                  .filter((package_) => levelOf(package_) >= levels.indexOf(required))
                  .map(({ name }) => name)
                  .toSorted();
              expect(found.map(({ name }) => name).toSorted()).toEqual(allowed("read"));
              for (const required of ["stage", "publish", "write", "admin"] as const) {
                const rows = await transaction
                  .selectFrom("packages")
                  .where("name", "in", seededNames)
                  .where(hasPermission(identity, required))
                  .select("name")
                  .execute();
                expect(rows.map(({ name }) => name).toSorted()).toEqual(allowed(required));
              }
              if (identity !== undefined)
                expect(await seenOf(transaction, identity)).toEqual(
                  staged
                    .filter(
                      ({ found, staged_by }) =>
                        (staged_by === identity.userId && isInModelScope(found, identity)) ||
                        levelOf(found) >= levels.indexOf("write"),
                    )
                    .map(({ found }) => found.name)
                    .toSorted(),
                );
              throw new RollBack();
            })
            .catch((error: unknown) => {
              if (!(error instanceof RollBack)) throw error;
            });
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function seenOf(database: Database, identity: Identity): Promise<readonly string[]> {
  const { items, total } = await stagedPage(database, identity, {
    name: undefined,
    page: 0,
    perPage: 100,
  });
  expect(items).toHaveLength(total);
  // Ignores staged versions of other tests.
  return items.flatMap(({ name }) => (name.startsWith("@scope") ? [name] : [])).toSorted();
}

const levels = ["none", "read", "stage", "publish", "write", "admin"] as const;

interface ModelPackage {
  readonly id: number;
  readonly name: string;
  readonly scope: string;
  readonly owner_id: number;
  readonly access: "public" | "restricted";
}

/** A second implementation of the permission rule, to compare with the SQL. Returns the index in `levels`. */
function modelLevel(
  package_: ModelPackage,
  {
    identity,
    administered,
    grants,
  }: {
    readonly identity: Identity | undefined;
    readonly administered: readonly (number | undefined)[];
    readonly grants: readonly { packageId: number; permission: "read" | "write" }[];
  },
): number {
  const everyone = levels.indexOf(package_.access === "public" ? "read" : "none");
  if (identity === undefined || !isInModelScope(package_, identity)) return everyone;
  const user =
    identity.isAdmin || administered.includes(package_.owner_id)
      ? levels.indexOf("admin")
      : Math.max(
          0,
          ...grants
            .filter(({ packageId }) => packageId === package_.id)
            .map(({ permission }) => levels.indexOf(permission)),
        );
  const { readonly, permissions } = identity.token;
  const token = readonly ? "read" : permissions === null ? "admin" : "stage";
  return Math.max(everyone, Math.min(user, levels.indexOf(token)));
}

function isInModelScope(
  { name, scope }: Pick<ModelPackage, "name" | "scope">,
  { token: { packages, scopes } }: Identity,
): boolean {
  if (packages === null && scopes === null) return true;
  return (packages?.includes(name) ?? false) || (scopes?.includes(scope) ?? false);
}

/** Rolls back the rows of one run of the property. */
class RollBack extends Error {}
