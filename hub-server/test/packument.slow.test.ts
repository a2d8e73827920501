import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { change } from "../src/platform/hub/hub.ts";
import { databases } from "./support/hub.ts";
import { escapedName } from "./support/package-document.ts";
import { publishOrThrow } from "./support/publish.ts";
import { rawRequest } from "./support/raw-request.ts";
import { seedPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const abbreviated =
  "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*" as const;

interface Packument {
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly time: Readonly<Record<string, string>>;
}

describe.each(databases)("packuments on the %s database", (kind) => {
  const server = sharedHub(kind);
  const alice = sharedUser(server, "alice");
  const bob = sharedUser(server, "bob");

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(`${server.url}${path}`, headers);
  const packument = async (name: string) =>
    (await (await server.request(`/${escapedName(name)}`)).json()) as Packument;
  const set = async (name: string, version: string, column: Record<string, unknown>) => {
    await change(server.hub, async ({ database, touch }) => {
      const { id } = await database
        .selectFrom("packages")
        .where("name", "=", name)
        .select("id")
        .executeTakeFirstOrThrow();
      await database
        .updateTable("versions")
        .where("package_id", "=", id)
        .where("version", "=", version)
        .set(column)
        .execute();
      touch({ id, name });
    });
  };

  test("contain the fields that clients read, in both formats", async () => {
    const name = "@alice/shape";
    const packageJson = {
      description: "For the shape of things",
      keywords: ["shape"],
      license: "MIT",
      repository: { type: "git", url: "git+https://example.com/shape.git" },
      type: "module",
      bin: { shape: "bin.js" },
      dependencies: { zod: "^4.0.0" },
      devDependencies: { vitest: "*" },
      engines: { node: ">=22" },
    };
    const files = { "README.md": "# Shape", "bin.js": "#!/usr/bin/env node\n" };
    await publishOrThrow(server, name, { as: alice, version: "0.1.0", files });
    await publishOrThrow(server, name, { as: alice, version: "0.2.0", packageJson, files });
    const plain = (body: Buffer) =>
      JSON.parse(
        body
          .toString()
          .replaceAll(server.url, "http://localhost")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<moment>")
          .replaceAll(/sha512-[\w+/]+=*/g, "<integrity>")
          .replaceAll(/"[0-9a-f]{40}"/g, '"<shasum>"')
          .replaceAll(/(?<="(?:keyid|sig)":")[^"]+/g, "<signature>")
          .replaceAll(/"_rev":"\d+-[0-9a-f]+"/g, '"_rev":"<revision>"'),
      ) as unknown;
    expect(plain((await get(`/${name}`)).body)).toMatchInlineSnapshot(`
      {
        "_attachments": {},
        "_id": "@alice/shape",
        "_rev": "<revision>",
        "description": "For the shape of things",
        "dist-tags": {
          "latest": "0.2.0",
        },
        "keywords": [
          "shape",
        ],
        "license": "MIT",
        "maintainers": [
          {
            "email": "alice@example.com",
            "name": "alice",
          },
        ],
        "name": "@alice/shape",
        "readme": "# Shape",
        "readmeFilename": "README.md",
        "repository": {
          "type": "git",
          "url": "git+https://example.com/shape.git",
        },
        "time": {
          "0.1.0": "<moment>",
          "0.2.0": "<moment>",
          "created": "<moment>",
          "modified": "<moment>",
        },
        "users": {},
        "versions": {
          "0.1.0": {
            "_id": "@alice/shape@0.1.0",
            "_npmUser": {
              "email": "alice@example.com",
              "name": "alice",
            },
            "dist": {
              "fileCount": 3,
              "integrity": "<integrity>",
              "shasum": "<shasum>",
              "signatures": [
                {
                  "keyid": "<signature>",
                  "sig": "<signature>",
                },
              ],
              "tarball": "http://localhost/@alice/shape/-/shape-0.1.0.tgz",
              "unpackedSize": 68,
            },
            "name": "@alice/shape",
            "version": "0.1.0",
          },
          "0.2.0": {
            "_id": "@alice/shape@0.2.0",
            "_npmUser": {
              "email": "alice@example.com",
              "name": "alice",
            },
            "bin": {
              "shape": "bin.js",
            },
            "dependencies": {
              "zod": "^4.0.0",
            },
            "description": "For the shape of things",
            "devDependencies": {
              "vitest": "*",
            },
            "dist": {
              "fileCount": 3,
              "integrity": "<integrity>",
              "shasum": "<shasum>",
              "signatures": [
                {
                  "keyid": "<signature>",
                  "sig": "<signature>",
                },
              ],
              "tarball": "http://localhost/@alice/shape/-/shape-0.2.0.tgz",
              "unpackedSize": 347,
            },
            "engines": {
              "node": ">=22",
            },
            "keywords": [
              "shape",
            ],
            "license": "MIT",
            "name": "@alice/shape",
            "repository": {
              "type": "git",
              "url": "git+https://example.com/shape.git",
            },
            "type": "module",
            "version": "0.2.0",
          },
        },
      }
    `);
    expect(plain((await get(`/${name}`, { accept: abbreviated })).body)).toMatchInlineSnapshot(`
      {
        "dist-tags": {
          "latest": "0.2.0",
        },
        "modified": "<moment>",
        "name": "@alice/shape",
        "time": {
          "0.1.0": "<moment>",
          "0.2.0": "<moment>",
          "created": "<moment>",
          "modified": "<moment>",
        },
        "versions": {
          "0.1.0": {
            "dist": {
              "fileCount": 3,
              "integrity": "<integrity>",
              "shasum": "<shasum>",
              "signatures": [
                {
                  "keyid": "<signature>",
                  "sig": "<signature>",
                },
              ],
              "tarball": "http://localhost/@alice/shape/-/shape-0.1.0.tgz",
              "unpackedSize": 68,
            },
            "name": "@alice/shape",
            "version": "0.1.0",
          },
          "0.2.0": {
            "bin": {
              "shape": "bin.js",
            },
            "dependencies": {
              "zod": "^4.0.0",
            },
            "dist": {
              "fileCount": 3,
              "integrity": "<integrity>",
              "shasum": "<shasum>",
              "signatures": [
                {
                  "keyid": "<signature>",
                  "sig": "<signature>",
                },
              ],
              "tarball": "http://localhost/@alice/shape/-/shape-0.2.0.tgz",
              "unpackedSize": 347,
            },
            "engines": {
              "node": ">=22",
            },
            "name": "@alice/shape",
            "version": "0.2.0",
          },
        },
      }
    `);
  });

  test.each<[string, Readonly<Record<string, string>>, "full" | "abbreviated"]>([
    ["npm", { accept: "application/json" }, "full"],
    ["npm, to install less", { accept: abbreviated }, "abbreviated"],
    [
      "pnpm",
      {
        accept:
          "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*; q=0.1, application/octet-stream",
      },
      "abbreviated",
    ],
    ["Yarn 1", { accept: "application/vnd.npm.install-v1+json; q=1.0" }, "abbreviated"],
    ["Yarn 4", { "accept-encoding": "gzip, deflate, br" }, "full"],
    ["curl", { accept: "*/*" }, "full"],
    [
      "a client that prefers the full format",
      { accept: "application/json, application/vnd.npm.install-v1+json;q=0.1" },
      "full",
    ],
  ])("have the format that %s requests", async (client, headers, format) => {
    const name = `@alice/form-${client.replaceAll(/\W/g, "").toLowerCase()}`;
    await seedPackage(server.hub, name, { owner: alice });
    const response = await get(`/${escapedName(name)}`, headers);
    expect(response.headers["content-type"]).toBe(
      format === "full" ? "application/json" : "application/vnd.npm.install-v1+json",
    );
  });

  test.each(["br", "gzip", "identity"] as const)("are compressed as %s", async (encoding) => {
    const name = "@alice/encoded";
    if ((await server.request(`/${name}`)).status === 404) {
      const versions = Array.from({ length: 20 }, (_, index) => `1.0.${index}`);
      await seedPackage(server.hub, name, { owner: alice, versions });
    }
    const decode = {
      br: brotliDecompressSync,
      gzip: gunzipSync,
      identity: (body: Buffer) => body,
    }[encoding];
    const { headers, body } = await get(`/${name}`, { "accept-encoding": encoding });
    const whole = await get(`/${name}`);
    expect(decode(body).equals(whole.body)).toBe(true);
    expect(headers["content-encoding"]).toBe(encoding === "identity" ? undefined : encoding);
    expect(headers["content-length"]).toBe(String(body.length));
    expect(headers["etag"]).toBe(whole.headers["etag"]);
  });

  test("may be cached privately and must be revalidated", async () => {
    await seedPackage(server.hub, "@alice/cached", { owner: alice });
    const { headers } = await get("/@alice%2fcached");
    expect(headers).toMatchObject({
      "cache-control": "private, max-age=0, must-revalidate",
      vary: "Accept, Accept-Encoding",
      "last-modified": expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/),
      etag: expect.stringMatching(/^W\/"[\w-]{20,}"$/),
    });
  });

  test("return 304 for a matching ETag", async () => {
    await seedPackage(server.hub, "@alice/known", { owner: alice });
    const path = "/@alice%2fknown";
    const { headers } = await get(path);
    const etag = String(headers["etag"]);
    const modified = String(headers["last-modified"]);
    const later = new Date(Date.parse(modified) + 60_000).toUTCString();
    const earlier = new Date(Date.parse(modified) - 60_000).toUTCString();
    const status = async (options: Readonly<Record<string, string>>) =>
      (await get(path, options)).status;

    const again = await get(path, { "if-none-match": etag, "accept-encoding": "gzip" });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect(Object.keys(again.headers)).not.toContainEqual(expect.stringMatching(/^content-/));
    expect(again.headers).toMatchObject({
      etag,
      "last-modified": modified,
      "cache-control": headers["cache-control"],
      vary: headers["vary"],
    });
    expect(await status({ "if-none-match": `"other", ${etag}` })).toBe(304);
    expect(await status({ "if-none-match": etag.replace("W/", "") })).toBe(304);
    expect(await status({ "if-none-match": etag, "accept-encoding": "gzip" })).toBe(304);
    expect(await status({ "if-none-match": "*" })).toBe(304);
    expect(await status({ "if-none-match": '"other"' })).toBe(200);
    expect(await status({ "if-none-match": etag, accept: abbreviated })).toBe(200);
    expect(await status({ "if-modified-since": modified })).toBe(304);
    expect(await status({ "if-modified-since": later })).toBe(304);
    expect(await status({ "if-modified-since": earlier })).toBe(200);
    expect(await status({ "if-modified-since": "yesterday" })).toBe(200);
    expect(await status({ "if-none-match": '"other"', "if-modified-since": later })).toBe(200);
    expect(await status({ "if-none-match": etag, method: "HEAD" })).toBe(304);
  });

  test("change their ETag after a change", async () => {
    await seedPackage(server.hub, "@alice/moving", { owner: alice });
    const { headers } = await get("/@alice%2fmoving", { accept: abbreviated });
    await set("@alice/moving", "1.0.0", { deprecated: "Use another." });
    const after = await get("/@alice%2fmoving", {
      accept: abbreviated,
      "if-none-match": String(headers["etag"]),
    });
    expect(after.status).toBe(200);
    expect(JSON.parse(after.body.toString())).toMatchObject({
      versions: { "1.0.0": { deprecated: "Use another." } },
    });
  });

  test("bypass the cache with ?write=true", async () => {
    const { id } = await seedPackage(server.hub, "@alice/written", { owner: alice });
    await get("/@alice%2fwritten");
    await server.hub.database
      .updateTable("packages")
      .where("id", "=", id)
      .set({ revision: 41 })
      .execute();
    const { headers, body } = await get("/@alice%2fwritten?write=true", { accept: abbreviated });
    expect(headers).toMatchObject({ "cache-control": "no-store" });
    expect(headers["etag"]).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({ _rev: `41-${id.toString(16)}` });
  });

  test("omit a yanked version, whose tarball stays available", async () => {
    const name = "@alice/yanked";
    for (const version of ["1.0.0", "1.1.0", "2.0.0-rc.1", "1.2.0"])
      await publishOrThrow(server, name, { as: alice, version });
    await set(name, "1.2.0", { yanked_at: server.hub.clock() });
    const document = await packument(name);
    expect(Object.keys(document.versions)).toEqual(["1.0.0", "1.1.0", "2.0.0-rc.1"]);
    expect(document["dist-tags"]).toEqual({ latest: "1.1.0" });
    expect(Object.keys(document.time)).toContain("1.2.0");
    expect((await get("/@alice/yanked/1.2.0")).status).toBe(404);
    expect((await get("/@alice/yanked/-/yanked-1.2.0.tgz")).status).toBe(200);
  });

  test("omit unpublished versions, and return 404 when none is left", async () => {
    const name = "@alice/gone";
    for (const version of ["1.0.0", "1.1.0"])
      await publishOrThrow(server, name, { as: alice, version });
    await get("/@alice/gone/-/gone-1.1.0.tgz");
    await set(name, "1.1.0", { unpublished_at: server.hub.clock() });
    const document = await packument(name);
    expect([Object.keys(document.versions), document["dist-tags"]]).toEqual([
      ["1.0.0"],
      { latest: "1.0.0" },
    ]);
    expect(Object.keys(document.time)).toEqual(["created", "modified", "1.0.0"]);
    expect((await get("/@alice/gone/-/gone-1.1.0.tgz")).status).toBe(404);
    await set(name, "1.0.0", { unpublished_at: server.hub.clock() });
    for (const path of ["", "?write=true", "/1.0.0", "/latest", "/-/gone-1.0.0.tgz"])
      expect([path, (await get(`/@alice/gone${path}`)).status]).toEqual([path, 404]);
    expect((await get("/-/package/@alice%2fgone/dist-tags")).status).toBe(404);
  });

  test("have a notice header when the package is archived", async () => {
    const { id, name } = await seedPackage(server.hub, "@alice/archived", { owner: alice });
    expect((await get("/@alice%2farchived")).headers["npm-notice"]).toBeUndefined();
    await change(server.hub, async ({ database, now, touch }) => {
      await database
        .updateTable("packages")
        .where("id", "=", id)
        .set({ archived_at: now })
        .execute();
      touch({ id, name });
    });
    expect((await get("/@alice%2farchived")).headers["npm-notice"]).toMatch(
      /^@alice\/archived is archived/,
    );
  });

  test("link the attestations of a version", async () => {
    const seeded = await seedPackage(server.hub, "@alice/attested", { owner: alice });
    await server.hub.database
      .insertInto("attestations")
      .values({
        version_id: seeded.versions["1.0.0"] ?? 0,
        predicate_type: "https://slsa.dev/provenance/v1",
        bundle: "{}",
      })
      .execute();
    expect((await packument("@alice/attested")).versions["1.0.0"]).toMatchObject({
      dist: {
        attestations: {
          url: `${server.url}/-/npm/v1/attestations/@alice%2fattested@1.0.0`,
          provenance: { predicateType: "https://slsa.dev/provenance/v1" },
        },
      },
    });
  });

  test("link tarballs on the request's host", async () => {
    await seedPackage(server.hub, "@alice/hosted", { owner: alice });
    const tarball = async (host: string) => {
      const { body } = await get("/@alice%2fhosted/1.0.0", { host });
      return (JSON.parse(body.toString()) as { dist: { tarball: string } }).dist.tarball;
    };
    expect([await tarball("one.example.com"), await tarball("two.example.com:81")]).toEqual([
      "http://one.example.com/@alice/hosted/-/hosted-1.0.0.tgz",
      "http://two.example.com:81/@alice/hosted/-/hosted-1.0.0.tgz",
    ]);
  });

  test("return one version by number or dist-tag", async () => {
    const tags = { latest: "1.0.0", next: "2.0.0" };
    await seedPackage(server.hub, "@alice/two", {
      owner: alice,
      versions: ["1.0.0", "2.0.0"],
      tags,
    });
    const version = async (spec: string) => {
      const response = await server.request(`/@alice%2ftwo/${spec}`);
      return response.ok
        ? ((await response.json()) as { version: string }).version
        : response.status;
    };
    expect(await Promise.all(["1.0.0", "latest", "next"].map(version))).toEqual([
      "1.0.0",
      "1.0.0",
      "2.0.0",
    ]);
    expect(await Promise.all(["3.0.0", "beta", "toString", "%00", "^1.0.0"].map(version))).toEqual([
      404, 404, 404, 404, 404,
    ]);
    const listed = await server.request("/-/package/@alice%2ftwo/dist-tags");
    expect(await listed.json()).toEqual(tags);
  });

  test("accept every encoding of a scoped name", async () => {
    await publishOrThrow(server, "@alice/spelt", { as: alice });
    for (const name of ["@alice%2fspelt", "@alice%2Fspelt", "%40alice%2fspelt", "@alice/spelt"])
      for (const path of [
        `/${name}`,
        `/${name}/1.0.0`,
        `/${name}/-/spelt-1.0.0.tgz`,
        `/-/package/${name}/dist-tags`,
      ])
        expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test("accept the longest name that npm allows", async () => {
    const name = `@alice/${"n".repeat(214 - "@alice/".length)}`;
    await publishOrThrow(server, name, { as: alice });
    const bare = name.slice("@alice/".length);
    expect((await get(`/${escapedName(name)}`)).status).toBe(200);
    expect((await get(`/${name}/-/${bare}-1.0.0.tgz`)).status).toBe(200);
  });

  test("return 404 for an invalid name", async () => {
    for (const path of [
      "/npm",
      "/UPPER",
      "/%00",
      "/@alice%2f%00",
      "/.hidden",
      "/@alice%2f..%2fx",
    ]) {
      const { status, body } = await get(path);
      expect([path, status, JSON.parse(body.toString())]).toMatchObject([
        path,
        404,
        { code: "not-found", error: expect.any(String) },
      ]);
    }
  });

  test("return 405 with the allowed methods", async () => {
    await seedPackage(server.hub, "@alice/fixed", { owner: alice });
    for (const [method, path, allow] of [
      ["POST", "/@alice%2ffixed", "GET, HEAD, PUT"],
      ["DELETE", "/@alice/fixed", "GET, HEAD, PUT"],
      ["PUT", "/@alice%2ffixed/1.0.0", "GET, HEAD"],
      ["DELETE", "/@alice/fixed/-/fixed-1.0.0.tgz", "GET, HEAD"],
    ] as const) {
      const response = await get(path, { method });
      expect([method, response.status, response.headers["allow"]]).toEqual([method, 405, allow]);
      expect(JSON.parse(response.body.toString())).toMatchObject({ code: "method-not-allowed" });
    }
    expect((await get("/-/nothing", { method: "POST" })).status).toBe(404);
  });

  test("return 404 for a private package on every route, also when cached", async () => {
    const name = "@alice/secret";
    await publishOrThrow(server, name, { as: alice, access: "restricted" });
    const paths = [
      "/@alice%2fsecret",
      "/@alice/secret",
      "/@alice%2fsecret?write=true",
      "/@alice%2fsecret/1.0.0",
      "/@alice%2fsecret/latest",
      "/@alice/secret/-/secret-1.0.0.tgz",
      "/@alice%2fsecret/-/secret-1.0.0.tgz",
      "/-/package/@alice%2fsecret/dist-tags",
    ];
    for (const path of paths) {
      const missing = path.replaceAll("secret", "absent");
      for (const as of [undefined, bob]) {
        const options = as === undefined ? {} : { as };
        const before = await server.request(path, options);
        expect((await server.request(path, { as: alice })).status).toBe(200);
        const after = await server.request(path, options);
        const never = await server.request(missing, options);
        expect([path, before.status, after.status, never.status]).toEqual([path, 404, 404, 404]);
        const maskedText = (await after.text()).replaceAll("secret", "absent");
        expect(maskedText).toBe(await never.text());
      }
      const invalid = { headers: { authorization: "Bearer envh_nonsense" } };
      expect((await server.request(path, invalid)).status).toBe(401);
      expect((await server.request(missing, invalid)).status).toBe(401);
    }
    const tarball = await server.request("/@alice/secret/-/secret-1.0.0.tgz", { as: alice });
    expect(tarball.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  });

  test("are up to date after each publish under concurrent reads", async () => {
    const name = "@alice/busy";
    await publishOrThrow(server, name, { as: alice, version: "1.0.0" });
    const ending = new AbortController();
    const readers = Array.from({ length: 8 }, async () => {
      while (!ending.signal.aborted) await server.request("/@alice%2fbusy");
    });
    const seen: number[] = [];
    for (let patch = 1; patch <= 10; patch += 1) {
      await publishOrThrow(server, name, { as: alice, version: `1.0.${patch}` });
      seen.push(Object.keys((await packument(name)).versions).length);
    }
    ending.abort();
    await Promise.all(readers);
    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});
