import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { databases, testHub } from "./support/hub.ts";
import {
  escapedName,
  type PackageDocument,
  readDocument,
  sendDocument,
} from "./support/package-document.ts";
import { seedOwnPackage, type SeedVersion } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const hour = 3_600_000;

describe.each(databases)("unpublishing on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const eve = sharedUser(server, "eve");

  const seed = (bare: string, versions: readonly (string | SeedVersion)[], tags = {}) =>
    seedOwnPackage(server.hub, ada, {
      bare,
      versions,
      ...(Object.keys(tags).length > 0 && { tags }),
    });
  const read = (name: string, as = ada) => readDocument(server, name, as);

  /** Removes the version from the document, then deletes its tarball, as npm and pnpm do. */
  const unpublish = async (name: string, version: string, as = ada): Promise<Response> => {
    const document = await read(name, as);
    const { [version]: _, ...versions } = document.versions;
    const payload = { ...document, versions };
    const response = await sendDocument(server, name, {
      document: payload,
      rev: document._rev,
      as,
    });
    if (!response.ok) return response;
    const { _rev } = await read(name, as);
    const file = `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
    return await server.request(`/${name}/-/${file}/-rev/${_rev}`, { method: "DELETE", as });
  };
  const unpublishAll = async (name: string, as = ada): Promise<Response> => {
    const { _rev } = await read(name, as);
    return await server.request(`/${escapedName(name)}/-rev/${_rev}`, { method: "DELETE", as });
  };
  const shape = ({ versions, "dist-tags": tags }: PackageDocument) => [Object.keys(versions), tags];

  test("unpublishes a recent version and keeps its number reserved", async () => {
    const { id, name } = await seed("young", ["1.0.0", "1.1.0"]);
    expect((await unpublish(name, "1.1.0")).status).toBe(200);
    expect(shape(await read(name))).toEqual([["1.0.0"], { latest: "1.0.0" }]);
    expect((await server.request(`/${name}/1.1.0`)).status).toBe(404);
    const rows = await server.hub.database
      .selectFrom("versions")
      .where("package_id", "=", id)
      .orderBy("id")
      .select(["version", "unpublished_at"])
      .execute();
    expect(rows).toEqual([
      { version: "1.0.0", unpublished_at: null },
      { version: "1.1.0", unpublished_at: expect.any(Date) },
    ]);
  });

  test("removes the version's tags, and latest moves to the highest stable version", async () => {
    const { id, name } = await seed("tags", ["1.2.0", "1.10.0", "2.0.0-rc.1", "1.11.0"], {
      latest: "1.11.0",
      next: "2.0.0-rc.1",
      best: "1.11.0",
    });
    await unpublish(name, "1.11.0");
    expect((await read(name))["dist-tags"]).toEqual({ latest: "1.10.0", next: "2.0.0-rc.1" });
    const events = await server.hub.database
      .selectFrom("events")
      .where("package_id", "=", id)
      .orderBy("sequence")
      .select(["type", "subject", "detail"])
      .execute();
    expect(events).toEqual([
      { type: "version.unpublished", subject: `${name}@1.11.0`, detail: {} },
      { type: "tag.removed", subject: name, detail: { tag: "best" } },
      { type: "tag.set", subject: name, detail: { tag: "latest", version: "1.10.0" } },
    ]);
  });

  test("unpublishes a whole package and keeps its name for the owner", async () => {
    const { id, name } = await seed("whole", ["1.0.0", "1.1.0"]);
    expect((await unpublishAll(name)).status).toBe(200);
    expect((await server.request(`/${escapedName(name)}`, { as: ada })).status).toBe(404);
    const row = await server.hub.database
      .selectFrom("packages")
      .where("id", "=", id)
      .select("owner_id")
      .executeTakeFirst();
    expect(row).toEqual({ owner_id: ada.id });
  });

  test("rejects unpublishing after the configured hours", async () => {
    await using strict = await testHub(kind, { HUB_UNPUBLISH_HOURS: "1" });
    const owner = await strict.createUser("ada");
    const { name } = await seedOwnPackage(strict.hub, owner, { versions: ["1.0.0", "1.1.0"] });
    strict.advanceClock(hour + 1000);
    const { _rev } = await readDocument(strict, name, owner);
    const response = await strict.request(`/${name}/-rev/${_rev}`, { method: "DELETE", as: owner });
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        code: "version-needed",
        error: expect.any(String),
        message:
          "2 versions of @ada/demo cannot be unpublished: 1.0.0 was published more than 1 hour ago; 1.1.0 was published more than 1 hour ago. Instead, deprecate them (npm deprecate), yank them (envs hub yank), or archive the package (envs hub archive).",
      },
    ]);
  });

  test.each<[string, "stays" | "goes", (base: string) => Record<string, Record<string, string>>]>([
    ["a range that only it satisfies", "stays", (base) => ({ dependencies: { [base]: "^2.0.0" } })],
    ["a peer's range", "stays", (base) => ({ peerDependencies: { [base]: ">=2" } })],
    ["another name for it", "stays", (base) => ({ dependencies: { base: `npm:${base}@2` } })],
    ["its dist-tag", "stays", (base) => ({ dependencies: { [base]: "next" } })],
    [
      "a range that an older one satisfies",
      "goes",
      (base) => ({ dependencies: { [base]: ">=1" } }),
    ],
    ["latest, which falls back", "goes", (base) => ({ dependencies: { [base]: "latest" } })],
    ["a range of other versions", "goes", (base) => ({ dependencies: { [base]: "^1.0.0" } })],
    ["a development dependency", "goes", (base) => ({ devDependencies: { [base]: "^2.0.0" } })],
  ])("a version with a dependent by %s %s", async (action, fate, manifest) => {
    const bare = action.replaceAll(/[^a-z]+/g, "-");
    const { name } = await seed(bare, ["1.0.0", "2.0.0"], { latest: "2.0.0", next: "2.0.0" });
    await seedOwnPackage(server.hub, eve, {
      bare,
      versions: [{ version: "0.1.0", manifest: manifest(name) }],
    });
    const response = await unpublish(name, "2.0.0");
    expect(response.ok ? "goes" : "stays").toBe(fate);
    if (fate === "stays")
      expect(await response.json()).toMatchObject({
        code: "version-needed",
        message: expect.stringContaining(`@eve/${bare}@0.1.0 depends on ${name}@`),
      });
  });

  test("returns 403 to other users, and 404 for a private package", async () => {
    const { name } = await seed("theirs", ["1.0.0", "1.1.0"]);
    expect((await unpublish(name, "1.1.0", eve)).status).toBe(403);
    expect((await unpublishAll(name, eve)).status).toBe(403);
    const hidden = await seedOwnPackage(server.hub, ada, { bare: "hidden", access: "restricted" });
    const { _rev } = await read(hidden.name);
    for (const path of ["", "/-/hidden-1.0.0.tgz"]) {
      const address = `/${hidden.name}${path}/-rev/${_rev}`;
      expect((await server.request(address, { method: "DELETE", as: eve })).status).toBe(404);
    }
  });

  test("lets a user with write permission unpublish only the user's own versions", async () => {
    const { id, name, versions } = await seed("shared", ["1.0.0", "1.1.0"]);
    await server.hub.database
      .insertInto("package_users")
      .values({ package_id: id, user_id: eve.id, permission: "write" })
      .execute();
    for (const response of [await unpublish(name, "1.1.0", eve), await unpublishAll(name, eve)])
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { message: expect.stringContaining("only an owner of the package's scope") },
      ]);
    await server.hub.database
      .updateTable("versions")
      .set({ published_by: eve.id })
      .where("id", "=", versions["1.1.0"] ?? 0)
      .execute();
    expect((await unpublish(name, "1.1.0", eve)).status).toBe(200);
    expect((await unpublishAll(name, eve)).status).toBe(403);
    expect(shape(await read(name))).toEqual([["1.0.0"], { latest: "1.0.0" }]);
  });

  test("distinguishes an outdated revision from a missing file", async () => {
    const { name } = await seed("revision", ["1.0.0", "1.1.0"]);
    const { _rev } = await read(name);
    const deleteFile = async (path: string) => {
      const response = await server.request(`/${name}${path}`, { method: "DELETE", as: ada });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await deleteFile("/-rev/0-0")).toEqual([409, "revision-stale"]);
    expect(await deleteFile(`/-/revision-9.9.9.tgz/-rev/${_rev}`)).toEqual([404, "not-found"]);
    expect(await deleteFile(`/-/other-1.0.0.tgz/-rev/${_rev}`)).toEqual([404, "not-found"]);
  });

  test("no sequence of documents changes a manifest, and only unpublishing removes a version", async () => {
    const all = ["1.0.0", "1.1.0", "2.0.0"];
    const step = fc.oneof(
      fc.record({
        do: fc.constant("deprecate"),
        version: fc.constantFrom(...all),
        text: fc.string(),
      }),
      fc.record({ do: fc.constant("star"), version: fc.constantFrom(...all), text: fc.string() }),
      fc.record({ do: fc.constant("forge"), version: fc.constantFrom(...all), text: fc.string() }),
      fc.record({
        do: fc.constant("leave-out"),
        version: fc.constantFrom(...all),
        text: fc.string(),
      }),
      fc.record({
        do: fc.constant("unpublish"),
        version: fc.constantFrom(...all),
        text: fc.string(),
      }),
    );
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const { name } = await seed(`steps-${(count += 1)}`, all);
        const first = await read(name);
        const unpublished = new Set<string>();
        for (const { do: action, version, text } of steps) {
          if (unpublished.size === all.length - 1) break;
          const document = await read(name);
          const { [version]: manifest, ...others } = document.versions;
          const changed = {
            deprecate: {
              versions: {
                ...others,
                ...(manifest && { [version]: { ...manifest, deprecated: text } }),
              },
            },
            star: { users: { ...document.users, ada: true } },
            forge: {
              versions: { ...others, [version]: { ...manifest, scripts: { install: text } } },
            },
            "leave-out": { versions: others },
            unpublish: {},
          }[action];
          if (action === "unpublish") {
            await unpublish(name, version);
            unpublished.add(version);
          } else
            await sendDocument(server, name, { document: { ...document, ...changed }, as: ada });
        }
        const { versions } = await read(name);
        const remaining = all.filter((version) => !unpublished.has(version));
        expect(Object.keys(versions)).toEqual(remaining);
        for (const version of remaining) {
          const { deprecated: _, ...manifest } = versions[version] ?? {};
          expect(manifest).toEqual(first.versions[version]);
        }
      }),
      { numRuns: kind === "embedded" ? 15 : 8 },
    );
  });
});
