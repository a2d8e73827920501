import { connect } from "node:net";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { repositoryAddress } from "../src/packages/attestations/repository.ts";
import { databases, testHub, type TestHub, type TestUser } from "./support/hub.ts";
import { escapedName, readDocument } from "./support/package-document.ts";
import { publish, publishBody } from "./support/publish.ts";
import { seedOwnPackage } from "./support/seed-package.ts";

describe.each(databases)("on the %s database", (kind) => {
  let server: TestHub;
  let ada: TestUser;
  beforeAll(async () => {
    server = await testHub(kind);
    ada = await server.createUser("ada");
    await seedOwnPackage(server.hub, ada);
  });
  afterAll(() => server.close());

  const codeOf = async (response: Response): Promise<readonly [number, string]> => {
    const { code } = (await response.json()) as { readonly code: string };
    return [response.status, code];
  };

  test.each([
    ["GET", "/-/package/a%00b/access", undefined],
    ["GET", "/-/user/a%00b/stars", undefined],
    ["GET", "/api/v1/packages/a%00b", undefined],
    ["GET", "/api/v1/packages/@ada%2fdemo/versions/a%00b", undefined],
    ["PUT", "/-/user/v1/star", { package: "a\0b" }],
    ["PUT", "/-/package/@ada%2fdemo/owners", { user: "a\0b" }],
    ["PUT", "/-/package/@ada%2fdemo/dist-tags/next", "a\0b"],
  ])("rejects a NUL in %s %s without an internal error", async (method, path, body) => {
    const response = await server.request(path, {
      method,
      as: ada,
      ...(body !== undefined && { body }),
    });
    // Routes return 404 without a query when a name is invalid.
    expect(["invalid-text", "not-found"]).toContain((await codeOf(response))[1]);
    expect((await server.request("/-/whoami", { as: ada })).status).toBe(200);
  });

  test.each(["\0", "\u001B[31mred", "\u0007", "half \uD800"])(
    "rejects a deprecation with control characters: %j",
    async (deprecated) => {
      const document = await readDocument(server, "@ada/demo");
      const [version = ""] = Object.keys(document.versions);
      const body = {
        ...document,
        versions: { [version]: { ...document.versions[version], deprecated } },
      };
      const response = await server.request("/@ada%2fdemo", { method: "PUT", as: ada, body });
      expect(await codeOf(response)).toEqual([400, "document-invalid"]);
    },
  );
});

describe("expensive requests", () => {
  let server: TestHub;
  let ada: TestUser;
  beforeAll(async () => {
    server = await testHub("server", { HUB_SEARCHES_PER_MINUTE: "3" });
    ada = await server.createUser("ada");
  });
  afterAll(() => server.close());

  test.each([
    ["/@ada%2fdemo", "{}"],
    ["/@ada%2fdemo", "[]"],
    ["/-/pnpr/v0/publish", '"":1'],
  ])("rejects JSON with too many values: PUT %s of %s", async (path, value) => {
    const text = Array.from({ length: 400_000 }, () => value).join(",");
    const response = await fetch(`${server.url}${path}`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${ada.token}` },
      body: value.includes(":") ? `{${text}}` : `[${text}]`,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "too-many-values" });
  });

  test("HEAD and other URL spellings count as searches", async () => {
    const search = (path: string, method = "GET") => server.request(path, { method });
    for (const path of ["/-/v1/search?text=a", "/-/v1/%73earch?text=a"])
      expect((await search(path)).status).toBe(200);
    expect((await search("/api/v1/p%61ckages?q=a", "HEAD")).status).toBe(200);
    for (const path of [
      "/-/v1/search",
      "/-/v1/%73earch",
      "/api/v1/environments",
      "/api/v1/users/ada",
    ])
      for (const method of ["GET", "HEAD"])
        expect([path, method, (await search(path, method)).status]).toEqual([path, method, 429]);
  });

  // A pattern with backtracking would take minutes.
  test("reads any repository field in linear time", () => {
    for (const part of ["a.", "@a.", "/", "a@", "http://a/"])
      expect(repositoryAddress(part.repeat(256 * 1024))).toBeUndefined();
  });
});

test.each(["constructor", "__proto__", "toString"])("rejects the period %s", async (period) => {
  await using server = await testHub("server");
  await seedOwnPackage(server.hub, await server.createUser("ada"));
  const response = await server.request(`/downloads/point/${period}/@ada%2fdemo`);
  expect([response.status, await response.json()]).toMatchObject([400, { code: "invalid-period" }]);
});

describe("publishing", () => {
  let server: TestHub;
  let ada: TestUser;
  beforeAll(async () => {
    server = await testHub("server");
    ada = await server.createUser("ada");
  });
  afterAll(() => server.close());

  const blobs = async (): Promise<number> =>
    (await Array.fromAsync(server.hub.blobs.list())).length;

  test("does not store a rejected tarball", async () => {
    const name = "@ada/kept";
    const options = (content: string) => ({ as: ada, files: { "a.txt": content } });
    const stage = (content: string) =>
      server.request(`/-/stage/package/${escapedName(name)}`, {
        method: "POST",
        as: ada,
        body: publishBody(name, { version: "1.1.0", files: { "a.txt": content } }),
      });
    expect((await publish(server, name, options("one"))).status).toBe(201);
    expect((await stage("two")).status).toBe(201);
    const before = await blobs();
    expect((await publish(server, name, options("three"))).status).toBe(409);
    expect((await stage("four")).status).toBe(409);
    const archive = `/api/v1/packages/${escapedName(name)}/archive`;
    expect((await server.request(archive, { method: "PUT", as: ada })).status).toBe(200);
    const next = await publish(server, name, { ...options("five"), version: "1.2.0" });
    expect(next.status).toBe(403);
    expect(await blobs()).toBe(before);
  });

  test("limits the size of a packument", async () => {
    const long = { words: "w".repeat(200 * 1024) };
    const versions = Array.from({ length: 81 }, (_, patch) => `1.0.${patch}`);
    const { name } = await seedOwnPackage(server.hub, ada, {
      bare: "long",
      versions: versions.map((version) => ({ version, manifest: long })),
    });
    const add = (version: string, packageJson: object) =>
      publish(server, name, { as: ada, version, packageJson: { ...packageJson } });
    const rejection = await add("2.0.0", long);
    expect([rejection.status, await rejection.json()]).toMatchObject([
      403,
      { code: "package-full" },
    ]);
    expect((await add("2.0.1", {})).status).toBe(201);
  });
});

test("a slow client does not delay shutdown", async () => {
  const server = await testHub("server");
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const head = "POST /-/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  socket.write(`${head}Content-Length: 100\r\n\r\n{`);
  await expect.poll(async () => (await server.request("/-/ping")).status).toBe(200);
  await server.close();
});
