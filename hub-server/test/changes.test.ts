import { describe, expect, test } from "vitest";

import { databases } from "./support/hub.ts";
import { type PackageDocument, readDocument, sendDocument } from "./support/package-document.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("changes by packument on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const eve = sharedUser(server, "eve");

  const versions = ["1.0.0", "1.1.0", "2.0.0-beta.1"];
  const seed = (bare: string, options = {}) =>
    seedOwnPackage(server.hub, ada, { bare, versions, tags: { latest: "1.1.0" }, ...options });
  const read = (name: string, as = ada) => readDocument(server, name, as);
  const send = (name: string, document: unknown, as = ada) =>
    sendDocument(server, name, { document, as });

  /** The document that `npm deprecate` sends: with a new message for each version in the range. */
  const deprecating = (document: PackageDocument, messages: Readonly<Record<string, string>>) => ({
    ...document,
    versions: Object.fromEntries(
      Object.entries(document.versions).map(([version, manifest]) => [
        version,
        version in messages ? { ...manifest, deprecated: messages[version] } : manifest,
      ]),
    ),
  });
  const deprecations = async (name: string) =>
    Object.fromEntries(
      Object.entries((await read(name)).versions).map(([version, { deprecated }]) => [
        version,
        deprecated,
      ]),
    );

  test("deprecates several versions at once and undoes it for one", async () => {
    const { id, name } = await seed("deprecated");
    const document = await read(name);
    const messages = { "1.0.0": "leaks the answer", "1.1.0": "leaks the answer" };
    const response = await send(name, deprecating(document, messages));
    expect(response.ok).toBe(true);
    const { _rev } = await read(name);
    expect(await response.json()).toMatchObject({ ok: true, id: name, rev: _rev });
    expect(await deprecations(name)).toEqual({ ...messages, "2.0.0-beta.1": undefined });
    await send(name, deprecating(await read(name), { "1.0.0": "" }));
    expect(await deprecations(name)).toEqual({
      "1.0.0": undefined,
      "1.1.0": "leaks the answer",
      "2.0.0-beta.1": undefined,
    });
    const events = await server.hub.database
      .selectFrom("events")
      .where("package_id", "=", id)
      .orderBy("sequence")
      .select(["type", "subject", "detail"])
      .execute();
    const detail = { message: "leaks the answer" };
    expect(events).toEqual([
      { type: "version.deprecated", subject: `${name}@1.0.0`, detail },
      { type: "version.deprecated", subject: `${name}@1.1.0`, detail },
      { type: "version.undeprecated", subject: `${name}@1.0.0`, detail: {} },
    ]);
  });

  test("accepts pnpm's order of fields", async () => {
    const { name } = await seed("pnpm");
    const { versions, ...rest } = deprecating(await read(name), { "1.0.0": "old" });
    const reversed = Object.fromEntries(
      Object.entries(versions).map(([version, manifest]) => [
        version,
        Object.fromEntries(Object.entries(manifest).toReversed()),
      ]),
    );
    expect((await send(name, { versions: reversed, ...rest })).ok).toBe(true);
    expect(await deprecations(name)).toMatchObject({ "1.0.0": "old" });
  });

  test("does not change the revision when the document is unchanged", async () => {
    const { name } = await seed("same");
    const document = await read(name);
    const withoutDeprecation = deprecating(document, { "1.0.0": "" });
    for (const each of [document, withoutDeprecation])
      expect(await (await send(name, each)).json()).toEqual({
        ok: true,
        id: name,
        rev: document._rev,
      });
  });

  test("rejects a document with an outdated revision", async () => {
    const { name } = await seed("stale");
    const document = await read(name);
    await send(name, deprecating(document, { "1.0.0": "first" }));
    const response = await send(name, deprecating(document, { "1.0.0": "second" }));
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: "revision-stale" },
    ]);
    expect(await deprecations(name)).toMatchObject({ "1.0.0": "first" });
  });

  test("accepts one of two concurrent changes to one revision", async () => {
    const { name } = await seed("race");
    const document = await read(name);
    const responses = await Promise.all(
      ["first", "second"].map((message) => send(name, deprecating(document, { "1.0.0": message }))),
    );
    expect(responses.map(({ ok, status }) => (ok ? "done" : status)).sort()).toEqual([409, "done"]);
  });

  test.each<[string, (document: PackageDocument) => unknown]>([
    ["the description", (document) => ({ ...document, description: "better" })],
    [
      "a dependency of a version",
      (document) => ({
        ...document,
        versions: {
          ...document.versions,
          "1.0.0": { ...document.versions["1.0.0"], dependencies: { evil: "1.0.0" } },
        },
      }),
    ],
    [
      "the integrity of a version",
      (document) => ({
        ...document,
        versions: {
          ...document.versions,
          "1.0.0": { ...document.versions["1.0.0"], dist: { integrity: "sha512-AAAA" } },
        },
      }),
    ],
    [
      "a version without a tarball",
      (document) => ({
        ...document,
        versions: { ...document.versions, "3.0.0": document.versions["1.0.0"] },
      }),
    ],
    ["a dist-tag", (document) => ({ ...document, "dist-tags": { latest: "1.0.0" } })],
    [
      "fewer versions without a revision in the address",
      ({ versions, ...document }) => ({ ...document, versions: { "1.1.0": versions["1.1.0"] } }),
    ],
    [
      "two things at once",
      (document) => ({ ...deprecating(document, { "1.0.0": "old" }), users: { ada: true } }),
    ],
    [
      "a deprecation that is not text",
      (document) => ({
        ...document,
        versions: { ...document.versions, "1.0.0": { deprecated: true } },
      }),
    ],
    ["a list", () => []],
    ["a document without a revision", ({ _rev, ...document }) => document],
  ])("rejects %s", async (what, changed) => {
    const { name } = await seed(what.replaceAll(" ", "-"));
    const document = await read(name);
    const response = await send(name, changed(document));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: expect.any(String) },
    ]);
    expect(await read(name)).toEqual(document);
  });

  test("returns 403 to users without write permission, and 404 for a private package", async () => {
    const { name } = await seed("public");
    const document = await read(name);
    const response = await send(name, deprecating(document, { "1.0.0": "bad" }), eve);
    expect([response.status, await response.json()]).toMatchObject([403, { code: "forbidden" }]);
    const hidden = await seed("hidden", { access: "restricted" });
    const secret = await read(hidden.name);
    expect((await send(hidden.name, secret, eve)).status).toBe(404);
    expect((await server.request(`/${name}`, { method: "PUT", body: document })).status).toBe(401);
  });
});
