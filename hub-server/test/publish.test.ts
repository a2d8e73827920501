import { randomBytes, randomUUID } from "node:crypto";
import { connect } from "node:net";

import { beforeAll, describe, expect, test } from "vitest";

import { newToken, secretHash, tokenPreview } from "../src/identity/credentials/secret.ts";
import type { Database } from "../src/platform/database/tables.ts";
import { databases, testHub } from "./support/hub.ts";
import { escapedName } from "./support/package-document.ts";
import { publish, publishBody, type PublishOptions, publishOrThrow } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("publishing on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");
  let database: Database;

  beforeAll(async () => {
    database = server.hub.database;
  });

  const put = (name: string, options: PublishOptions) =>
    statusAndBody(publish(server, name, options));
  const tagsOf = async (name: string): Promise<unknown> =>
    (await server.request(`/-/package/${escapedName(name)}/dist-tags`)).json();
  const read = async (name: string, version: string) =>
    (await (await server.request(`/${escapedName(name)}/${version}`)).json()) as Record<
      string,
      unknown
    >;
  const eventsOf = (name: string) =>
    database
      .selectFrom("events")
      .where((row) => row.or([row("subject", "=", name), row("subject", "like", `${name}@%`)]))
      .orderBy("sequence")
      .select(["type", "actor", "subject", "detail"])
      .execute();
  /** Counts the rows of each table that publishing writes to. */
  const rows = async () => {
    const tables = ["packages", "versions", "files", "dist_tags", "events"] as const;
    const counts = tables.map((table) =>
      database
        .selectFrom(table)
        .select((row) => row.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow(),
    );
    return (await Promise.all(counts)).map(({ count }) => count);
  };

  test("the first version creates the package, its maintainer, its tag, its files and its events", async () => {
    const name = "@alice/first";
    const files = { "README.md": "# First", "src/index.js": "export {};" };
    const [status, result] = await put(name, { as: alice, files });
    expect([status, result]).toEqual([
      201,
      { ok: true, success: true, id: name, rev: expect.stringMatching(/^2-/) },
    ]);
    const document = await server.request(`/${escapedName(name)}`);
    expect(await document.json()).toMatchObject({
      _rev: (result as { rev: string }).rev,
      "dist-tags": { latest: "1.0.0" },
      maintainers: [{ name: "alice", email: "alice@example.com" }],
      readme: "# First",
      readmeFilename: "README.md",
      versions: { "1.0.0": { dist: { fileCount: 3, signatures: [{}] } } },
    });
    const files_ = await database
      .selectFrom("files")
      .innerJoin("versions", "versions.id", "files.version_id")
      .innerJoin("packages", "packages.id", "versions.package_id")
      .where("packages.name", "=", name)
      .orderBy("path")
      .select(["path", "files.size"])
      .execute();
    expect(files_).toEqual([
      { path: "README.md", size: 7 },
      { path: "package.json", size: 41 },
      { path: "src/index.js", size: 10 },
    ]);
    expect(await eventsOf(name)).toEqual([
      { type: "package.created", actor: "alice", subject: name, detail: { access: "public" } },
      {
        type: "version.published",
        actor: "alice",
        subject: `${name}@1.0.0`,
        detail: { tag: "latest", integrity: expect.stringMatching(/^sha512-/) },
      },
    ]);
  });

  test("a version moves its tag, and the first version also gets the tag latest", async () => {
    const name = "@alice/tags";
    await publishOrThrow(server, name, { as: alice, version: "1.0.0-rc.1", tag: "next" });
    expect(await tagsOf(name)).toEqual({ latest: "1.0.0-rc.1", next: "1.0.0-rc.1" });
    await publishOrThrow(server, name, { as: alice, version: "1.0.0-rc.2", tag: "next" });
    expect(await tagsOf(name)).toEqual({ latest: "1.0.0-rc.1", next: "1.0.0-rc.2" });
    await publishOrThrow(server, name, { as: alice, version: "1.0.0" });
    await publishOrThrow(server, name, { as: alice, version: "0.9.1", tag: "old" });
    expect(await tagsOf(name)).toEqual({ latest: "1.0.0", next: "1.0.0-rc.2", old: "0.9.1" });
  });

  test("only the first version sets the access", async () => {
    await publishOrThrow(server, "@alice/private", { as: alice, access: "restricted" });
    await publishOrThrow(server, "@alice/private", {
      as: alice,
      access: "public",
      version: "1.1.0",
    });
    await publishOrThrow(server, "@alice/open", { as: alice });
    await publishOrThrow(server, "@alice/open", {
      as: alice,
      access: "restricted",
      version: "1.1.0",
    });
    expect((await server.request("/@alice%2fprivate", { as: bob })).status).toBe(404);
    expect((await server.request("/@alice%2fopen", { as: bob })).status).toBe(200);
  });

  test("rejects a version number that was published, unpublished or staged", async () => {
    const name = "@alice/numbers";
    await publishOrThrow(server, name, { as: alice, version: "1.0.0" });
    const before = await rows();
    const again = () => put(name, { as: alice, version: "1.0.0", files: { "new.js": "" } });
    expect(await again()).toMatchObject([409, { code: "version-exists" }]);
    await database
      .updateTable("versions")
      .where("package_id", "=", (query) =>
        query.selectFrom("packages").where("name", "=", name).select("id"),
      )
      .set({ unpublished_at: server.hub.clock() })
      .execute();
    expect(await again()).toMatchObject([409, { code: "version-unpublished" }]);
    const stage = await server.request(`/-/stage/package/${escapedName(name)}`, {
      method: "POST",
      as: alice,
      body: publishBody(name, { version: "2.0.0" }),
    });
    expect(stage.status).toBe(201);
    expect(await put(name, { as: alice, version: "2.0.0" })).toMatchObject([
      409,
      { code: "version-staged" },
    ]);
    expect((await rows()).slice(0, 4)).toEqual(before.slice(0, 4));
  });

  test("does not write rows when one package of a workspace is rejected", async () => {
    await publishOrThrow(server, "@alice/whole", { as: alice });
    const before = await rows();
    const packages = [
      publishBody("@alice/part", { files: { "a.js": "" } }),
      publishBody("@alice/whole", {}),
    ];
    const [status, result] = await statusAndBody(
      server.request("/-/pnpr/v0/publish", { method: "PUT", as: alice, body: { packages } }),
    );
    expect([status, result]).toMatchObject([409, { code: "version-exists" }]);
    expect(await rows()).toEqual(before);
    expect((await server.request("/@alice%2fpart")).status).toBe(404);
    expect(await put("@alice/part", { as: alice })).toMatchObject([201, {}]);
  });

  test("accepts one of several concurrent publishes of a version", async () => {
    const all = Array.from({ length: 8 }, (_, index) =>
      put("@alice/once", { as: alice, files: { "index.js": `export default ${index};` } }),
    );
    const statuses = (await Promise.all(all)).map(([status]) => status);
    expect(statuses.sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  test("concurrent versions of a new package are all published", async () => {
    const name = "@alice/many";
    const versions = Array.from({ length: 12 }, (_, index) => `1.0.${index}`);
    await Promise.all(
      versions.map((version) => publishOrThrow(server, name, { as: alice, version })),
    );
    const manifest = (await (await server.request(`/${escapedName(name)}`)).json()) as {
      versions: Record<string, unknown>;
    };
    expect(Object.keys(manifest.versions).sort()).toEqual(versions.toSorted());
    const created = (await eventsOf(name)).filter(({ type }) => type === "package.created");
    expect(created).toHaveLength(1);
  });

  test("rejects a version of an archived package", async () => {
    const name = "@alice/archive";
    await publishOrThrow(server, name, { as: alice });
    await database
      .updateTable("packages")
      .where("name", "=", name)
      .set({ archived_at: server.hub.clock() })
      .execute();
    expect(await put(name, { as: alice, version: "1.1.0" })).toMatchObject([
      403,
      { code: "package-archived" },
    ]);
  });

  test("stores only known and printable build metadata", async () => {
    const name = "@alice/hints";
    const body = publishBody(name, {});
    const hints = { gitHead: "4be1", _nodeVersion: "24.0.0", _npmVersion: "\u0000<b>", _evil: "x" };
    const versions = { "1.0.0": { ...body.versions["1.0.0"], ...hints } };
    await server.request(`/${escapedName(name)}`, {
      method: "PUT",
      as: alice,
      body: { ...body, versions },
    });
    const manifest = await read(name, "1.0.0");
    expect(manifest).toMatchObject({ gitHead: "4be1", _nodeVersion: "24.0.0" });
    expect(Object.keys(manifest)).not.toContain("_npmVersion");
    expect(Object.keys(manifest)).not.toContain("_evil");
  });

  test("accepts a name of 214 characters and rejects 215", async () => {
    const bare = "x".repeat(214 - "@alice/".length);
    expect(await put(`@alice/${bare}`, { as: alice })).toMatchObject([201, {}]);
    expect(await put(`@alice/${bare}x`, { as: alice })).toMatchObject([
      400,
      { code: "name-invalid" },
    ]);
  });

  test("accepts every encoding of the name in the URL", async () => {
    for (const [index, path] of [
      "@alice%2fspelling",
      "@alice%2Fspelling",
      "@alice/spelling",
    ].entries()) {
      const body = publishBody("@alice/spelling", { version: `1.0.${index}` });
      const response = await server.request(`/${path}`, { method: "PUT", as: alice, body });
      expect([path, response.status]).toEqual([path, 201]);
    }
    const body = publishBody("@alice/spelling", { version: "2.0.0" });
    const response = await server.request("/@alice%2fother", { method: "PUT", as: alice, body });
    expect(await statusAndBody(Promise.resolve(response))).toMatchObject([
      400,
      { code: "document-name" },
    ]);
  });

  test("does not treat a document without a tarball as a publish", async () => {
    const { _attachments: _none, ...body } = publishBody("@alice/none", {});
    for (const document of [body, { ...body, _attachments: {} }, { ...body, _attachments: null }]) {
      const response = server.request("/@alice%2fnone", {
        method: "PUT",
        as: alice,
        body: document,
      });
      const [status, result] = await statusAndBody(response);
      expect([status, result]).toMatchObject([404, { code: "not-found" }]);
    }
  });

  test("rejects anonymous clients, other users and read-only tokens", async () => {
    const token = newToken();
    await database
      .insertInto("tokens")
      .values({
        id: randomUUID(),
        user_id: alice.id,
        secret_hash: secretHash(token),
        preview: tokenPreview(token),
        readonly: true,
        created_at: server.hub.clock(),
      })
      .execute();
    const before = await rows();
    expect(await put("@alice/refused", { as: { ...alice, token } })).toMatchObject([
      403,
      { code: "read-only-token" },
    ]);
    const body = publishBody("@alice/refused", {});
    const stranger = server.request("/@alice%2frefused", { method: "PUT", body });
    expect(await statusAndBody(stranger)).toMatchObject([401, { code: "unauthorized" }]);
    expect(await put("@alice/refused", { as: bob })).toMatchObject([404, {}]);
    expect(await rows()).toEqual(before);
  });

  test("returns 401 before it reads the body", async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const head = `PUT /@alice%2flong HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 20000000\r\n\r\n{`;
    const [chunk] = await new Promise<[Buffer]>((resolve, reject) => {
      socket.once("data", (...data: [Buffer]) => resolve(data)).once("error", reject);
      socket.write(head);
    });
    socket.destroy();
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe.each(databases)("publish rate limits on the %s database", (kind) => {
  test("limit versions per hour and new packages per week", async () => {
    await using server = await testHub(kind, {
      HUB_PUBLISHES_PER_HOUR: "4",
      HUB_PACKAGES_PER_WEEK: "2",
    });
    const alice = await server.createUser("alice");
    const bob = await server.createUser("bob");
    const put = async (name: string, version: string, as = alice) => {
      const response = await publish(server, name, { as, version });
      const { code } = (await response.json()) as { code?: string };
      return [response.status, code, Number(response.headers.get("retry-after"))];
    };
    const done = [201, undefined, 0];
    const minutes = 60_000;
    expect(await put("@alice/one", "1.0.0")).toEqual(done);
    server.advanceClock(10 * minutes);
    expect(await put("@alice/two", "1.0.0")).toEqual(done);
    const [status, code, wait] = await put("@alice/three", "1.0.0");
    expect([status, code]).toEqual([429, "too-many-publishes"]);
    expect(Number(wait) / 86_400).toBeCloseTo(7, 1);
    expect(await put("@alice/one", "1.0.1")).toEqual(done);
    expect(await put("@alice/one", "1.0.2")).toEqual(done);
    const [again, why, seconds] = await put("@alice/one", "1.0.3");
    expect([again, why]).toEqual([429, "too-many-publishes"]);
    expect(Number(seconds) / 60).toBeCloseTo(50, 0);
    expect(await put("@bob/one", "1.0.0", bob)).toEqual(done);
    server.advanceClock(51 * minutes);
    expect(await put("@alice/one", "1.0.3")).toEqual(done);
    server.advanceClock(7 * 24 * 60 * minutes);
    expect(await put("@alice/three", "1.0.0")).toEqual(done);
  });

  test("limit the size of a tarball", async () => {
    await using server = await testHub(kind, { HUB_TARBALL_BYTES: "2000" });
    const alice = await server.createUser("alice");
    const files = { "noise.bin": randomBytes(4000) };
    const [status, result] = await statusAndBody(
      publish(server, "@alice/large", { as: alice, files }),
    );
    expect([status, result]).toMatchObject([413, { code: expect.any(String) }]);
    const huge = { ...publishBody("@alice/huge", {}), padding: "x".repeat(2 * 2 ** 20) };
    const response = server.request("/@alice%2fhuge", { method: "PUT", as: alice, body: huge });
    expect(await statusAndBody(response)).toMatchObject([413, { error: expect.any(String) }]);
  });
});
