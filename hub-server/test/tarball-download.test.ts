import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { get as httpGet } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pacote from "pacote";
import { describe, expect, test } from "vitest";

import { mismatchedIntegrity } from "../src/registry/tarballs/served-tarball.ts";
import { databases } from "./support/hub.ts";
import { publishOrThrow } from "./support/publish.ts";
import { rawRequest } from "./support/raw-request.ts";
import { seedPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("tarballs on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LOG: "silent" });
  const alice = sharedUser(server, "alice");

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(`${server.url}${path}`, headers);

  test("are served unchanged, with an immutable cache policy", async () => {
    const tarball = randomBytes(20_000);
    const versions = [{ version: "1.0.0", tarball }];
    await seedPackage(server.hub, "@alice/plain", { owner: alice, versions });
    for (const _again of [1, 2]) {
      const { status, headers, body } = await get("/@alice/plain/-/plain-1.0.0.tgz");
      expect([status, body.equals(tarball)]).toEqual([200, true]);
      expect(headers).toMatchObject({
        "content-type": "application/octet-stream",
        "content-length": "20000",
        "cache-control": "public, max-age=31536000, immutable",
        etag: `"${createHash("sha512").update(tarball).digest("hex").slice(0, 40)}"`,
        "last-modified": expect.any(String),
      });
    }
  });

  test("have no body for HEAD and for a matching ETag", async () => {
    await publishOrThrow(server, "@alice/head", { as: alice });
    const path = "/@alice/head/-/head-1.0.0.tgz";
    const whole = await get(path);
    const head = await get(path, { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const { date: _date, ...headers } = whole.headers;
    expect(head.headers).toMatchObject(headers);
    const known = await get(path, { "if-none-match": String(headers["etag"]) });
    expect([known.status, known.body.length]).toEqual([304, 0]);
  });

  test.each([
    ["cached", 5000],
    ["streamed", 3 * 2 ** 20],
  ])("answer a range of a %s tarball with 206, 416 or the whole", async (bare, size) => {
    const tarball = randomBytes(size);
    const versions = [{ version: "1.0.0", tarball }];
    await seedPackage(server.hub, `@alice/${bare}`, { owner: alice, versions });
    const path = `/@alice/${bare}/-/${bare}-1.0.0.tgz`;
    const whole = await get(path);
    const etag = String(whole.headers["etag"]);
    const modified = String(whole.headers["last-modified"]);
    expect(whole.headers["accept-ranges"]).toBe("bytes");

    for (const [headers, start, end] of [
      [{ range: "bytes=0-99" }, 0, 99],
      [{ range: "bytes=100-" }, 100, size - 1],
      [{ range: "bytes=-100" }, size - 100, size - 1],
      [{ range: `bytes=4000-${size * 2}` }, 4000, size - 1],
      [{ range: "bytes=1-1", "if-range": etag }, 1, 1],
      [{ range: "bytes=1-1", "if-range": modified }, 1, 1],
    ] as const) {
      const part = await get(path, headers);
      expect([part.status, part.body.equals(tarball.subarray(start, end + 1))]).toEqual([
        206,
        true,
      ]);
      expect(part.headers).toMatchObject({
        "content-range": `bytes ${start}-${end}/${size}`,
        "content-length": String(end - start + 1),
        etag,
      });
    }
    for (const headers of [
      { range: "bytes=0-1,3-4" },
      { range: "bytes=x" },
      { range: "lines=1-2" },
      { range: "bytes=1-1", "if-range": '"other"' },
      { range: "bytes=1-1", "if-range": `W/${etag}` },
      { range: "bytes=1-1", "if-range": "Thu, 01 Jan 1970 00:00:00 GMT" },
    ]) {
      const { status, body } = await get(path, headers);
      expect([headers, status, body.length]).toEqual([headers, 200, size]);
    }
    const after = await get(path, { range: `bytes=${size}-` });
    expect([after.status, after.headers["content-range"]]).toEqual([416, `bytes */${size}`]);
    expect(JSON.parse(after.body.toString())).toMatchObject({ code: "range-not-satisfiable" });
    expect((await get(path, { range: "bytes=0-1", "if-none-match": etag })).status).toBe(304);
  });

  test("return 404 under another name", async () => {
    await publishOrThrow(server, "@alice/name", { as: alice });
    await publishOrThrow(server, "@alice/name-2", { as: alice });
    for (const file of [
      "name-1.0.1.tgz",
      "name-1.0.0.tar.gz",
      "name-1.0.0",
      "other-1.0.0.tgz",
      "name-2-1.0.0.tgz",
      "name-%00.tgz",
      "..%2f..%2fname-1.0.0.tgz",
      "name-..%2f1.0.0.tgz",
      "NAME-1.0.0.tgz",
      ".tgz",
    ]) {
      const { status, body } = await get(`/@alice/name/-/${file}`);
      expect([file, status]).toEqual([file, 404]);
      expect(JSON.parse(body.toString())).toMatchObject({ code: "not-found" });
    }
  });

  test("are streamed if large, and survive a client that disconnects", async () => {
    const tarball = randomBytes(8 * 2 ** 20);
    const versions = [{ version: "1.0.0", tarball }];
    await seedPackage(server.hub, "@alice/large", { owner: alice, versions });
    const path = "/@alice/large/-/large-1.0.0.tgz";
    await new Promise<void>((resolve, reject) => {
      const outgoing = httpGet(`${server.url}${path}`, (response) => {
        response.once("data", () => {
          outgoing.destroy();
          resolve();
        });
      });
      outgoing.on("error", reject);
    });
    const { headers, body } = await get(path);
    expect([headers["content-length"], body.equals(tarball)]).toEqual([
      String(tarball.length),
      true,
    ]);
    expect((await get(path, { method: "HEAD" })).body.length).toBe(0);
  });

  test("return a JSON error when their blob is missing", async () => {
    await seedPackage(server.hub, "@alice/lost", { owner: alice });
    const { status, body } = await get("/@alice/lost/-/lost-1.0.0.tgz");
    expect([status, JSON.parse(body.toString())]).toMatchObject([500, { code: "tarball-damaged" }]);
  });

  test("are read by pacote by tag, range and version", async () => {
    const cache = await mkdtemp(join(tmpdir(), "envs-pacote-"));
    try {
      const options = { registry: `${server.url}/`, cache };
      const name = "@alice/read";
      const files = { "index.js": "export {};\n" };
      for (const version of ["1.0.0", "1.1.0", "2.0.0"])
        await publishOrThrow(server, name, { as: alice, version, files });
      await publishOrThrow(server, name, { as: alice, version: "3.0.0-rc.1", tag: "next", files });
      const full = await pacote.packument(name, { ...options, fullMetadata: true });
      const short = await pacote.packument(name, options);
      expect(Object.keys(full.versions)).toEqual(Object.keys(short.versions));
      const resolved: string[] = [];
      for (const range of ["", "@next", "@^1.0.0", "@1.0.0"]) {
        const { version, _integrity } = await pacote.manifest(`${name}${range}`, options);
        resolved.push(version);
        const bytes = await pacote.tarball(`${name}@${version}`, {
          ...options,
          integrity: _integrity,
        });
        const digest = createHash("sha512").update(bytes).digest("base64");
        expect(_integrity).toBe(`sha512-${digest}`);
      }
      expect(resolved).toEqual(["2.0.0", "3.0.0-rc.1", "1.1.0", "1.0.0"]);
    } finally {
      await rm(cache, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});

test.each<[string, string | string[] | undefined, string | undefined]>([
  ["nothing", undefined, undefined],
  ["the same", "sha512-right", undefined],
  ["the same among others", "sha1-old sha512-right", undefined],
  ["only a hash of another kind", "sha1-old", undefined],
  ["other bytes", "sha512-wrong", "sha512-wrong"],
])("accepts a client that expects %s", (_what, expected, result) => {
  expect(mismatchedIntegrity(expected, "sha512-right")).toBe(result);
});
