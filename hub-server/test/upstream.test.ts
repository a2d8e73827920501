import { createHash, createPublicKey, verify } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { readSettings } from "../src/platform/config/read-settings.ts";
import { configuredUpstream } from "../src/platform/config/upstreams.ts";
import { downloadTarball } from "../src/upstream/tarball.ts";
import { anyDatabase, type TestHub, testHub, type TestUser } from "./support/hub.ts";
import { publish, publishOrThrow } from "./support/publish.ts";
import {
  json,
  packument,
  tarballOf,
  tarballPath,
  type TestUpstream,
  testUpstream,
} from "./support/upstream.ts";

describe("HUB_UPSTREAM", () => {
  const originOf = (setting: string, name: string): string | undefined => {
    const { HUB_UPSTREAM } = readSettings({ HUB_UPSTREAM: setting });
    return configuredUpstream(HUB_UPSTREAM!, name)?.upstream.origin;
  };

  test("serves a name from the first upstream with its scope or name, then from one with *", () => {
    const setting =
      "proxy https://a.example * !@lab !tool, mirror https://b.example:8443/ @envs left-pad";
    expect(
      ["@envs/x", "left-pad", "lodash", "@other/x", "@lab/x", "tool", "@envs-2/x"].map((name) =>
        originOf(setting, name),
      ),
    ).toEqual([
      "https://b.example:8443",
      "https://b.example:8443",
      "https://a.example",
      "https://a.example",
      undefined,
      undefined,
      "https://a.example",
    ]);
  });

  test.each([
    "https://a.example @envs",
    "proxy a.example @envs",
    "proxy https://a.example",
    "proxy https://a.example !@envs",
    "proxy https://a.example/path @envs",
    "proxy https://user:secret@a.example @envs",
    "proxy file:///etc @envs",
    "proxy https://a.example @Envs/",
    "proxy https://a.example *",
  ])("rejects %s", (setting) => {
    expect(() => readSettings({ HUB_UPSTREAM: setting })).toThrow("HUB_UPSTREAM");
  });

  test("does not print tokens in an error", () => {
    expect(() => readSettings({ HUB_UPSTREAM_TOKENS: "secret" })).toThrow(/^(?!.*"secret")/s);
  });
});

describe("a hub with upstreams", () => {
  let upstream: TestUpstream;
  let guarded: TestUpstream;
  let hub: TestHub;
  let ada: TestUser;
  const readVersions = async (name: string): Promise<readonly string[]> => {
    const { versions = {} } = await read(`/${name.replace("/", "%2f")}`);
    return Object.keys(versions as object);
  };
  const read = async (path: string, headers: Record<string, string> = {}) =>
    (await (await hub.request(path, { headers })).json()) as Record<string, unknown>;
  const statusAndCode = async (path: string) => {
    const response = await hub.request(path);
    const { code } = (await response.json().catch(() => ({}))) as { code?: string };
    return [response.status, code];
  };
  /** Beyond the age of stored documents, missing packages and pauses. */
  const expire = (): void => {
    hub.advanceClock(3_600_000);
    hub.hub.invalidate(undefined);
  };

  beforeAll(async () => {
    upstream = await testUpstream();
    guarded = await testUpstream();
    hub = await testHub(anyDatabase, {
      HUB_LOG: "silent",
      HUB_LIMITS: "off",
      HUB_UPSTREAM: `proxy ${upstream.url} * !@own, proxy ${guarded.url} @guarded`,
      HUB_UPSTREAM_TOKENS: `${new URL(guarded.url).host} upstream-token`,
      HUB_UPSTREAM_BYTES: "100000",
    });
    ada = await hub.createUser("ada", { isAdmin: true });
  });
  afterAll(async () => {
    await hub.close();
    await upstream[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });

  test("serves documents with its own tarball URLs and signatures, and the verified tarballs", async () => {
    upstream.serve("@lib/a", { "1.0.0": "one", "1.1.0": "two" });
    const full = await read("/@lib%2fa");
    const { dist } = (full["versions"] as Record<string, { dist: Record<string, unknown> }>)[
      "1.1.0"
    ]!;
    expect(dist).toMatchObject({
      tarball: `${hub.url}/@lib/a/-/a-1.1.0.tgz`,
      signatures: [{ keyid: expect.any(String) }],
    });
    const { keys } = (await read("/-/npm/v1/keys")) as { keys: { key: string }[] };
    const der = Buffer.from(keys[0]!.key, "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    const [{ sig }] = dist["signatures"] as [{ sig: string }];
    const signed = Buffer.from(`@lib/a@1.1.0:${String(dist["integrity"])}`);
    expect(verify("sha256", signed, key, Buffer.from(sig, "base64"))).toBe(true);
    expect(await read("/@lib%2fa/latest")).toMatchObject({ version: "1.1.0" });
    expect(await read("/-/package/@lib%2fa/dist-tags")).toEqual({ latest: "1.1.0" });
    const short = await hub.request("/@lib/a", {
      headers: { accept: "application/vnd.npm.install-v1+json" },
    });
    expect(Object.keys((await short.json()) as object)).toEqual([
      "name",
      "modified",
      "dist-tags",
      "versions",
      "time",
    ]);
    expect(short.headers.get("cache-status")).toMatch(/^envs-hub; hit; ttl=\d+$/);
    const tarball = await hub.request("/@lib/a/-/a-1.0.0.tgz");
    expect(Buffer.from(await tarball.arrayBuffer())).toEqual(
      Buffer.from(tarballOf("@lib/a", "1.0.0", "one")),
    );
  });

  test("sends one request for concurrent clients, and none of their headers", async () => {
    upstream.serve("@lib/shared", { "1.0.0": "x" });
    const before = upstream.requests.length;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        hub.request(index % 2 === 0 ? "/@lib/shared" : "/@lib/shared/-/shared-1.0.0.tgz", {
          as: ada,
          headers: { cookie: "session=secret", "npm-otp": "123456" },
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const sent = upstream.requests.slice(before);
    expect(sent.map(({ url }) => url)).toEqual([
      "/@lib%2fshared",
      "/@lib/shared/-/shared-1.0.0.tgz",
    ]);
    expect(JSON.stringify(sent.map(({ headers }) => headers))).not.toMatch(
      new RegExp(`${ada.token}|secret|123456`),
    );
  });

  describe("streams a tarball", () => {
    const content = Array.from({ length: 500 }, (_, line) =>
      createHash("sha512").update(String(line)).digest("hex"),
    ).join("");
    const stored = async () => (await Array.fromAsync(hub.hub.blobs.list())).length;
    /** Serves a tarball in many parts; `next` sends one, and `end` all others. */
    const inParts = (name: string, bytes = tarballOf(name, "1.0.0", content)) => {
      upstream.serve(name, { "1.0.0": content });
      const parts = Array.from({ length: 50 }, (_, part) =>
        bytes.subarray((part * bytes.length) / 50, ((part + 1) * bytes.length) / 50),
      );
      const response = Promise.withResolvers<ServerResponse>();
      let requests = 0;
      upstream.on(tarballPath(name, "1.0.0"), (_request, outgoing) => {
        requests += 1;
        response.resolve(outgoing);
      });
      return {
        next: async () => void (await response.promise).write(parts.shift()),
        end: async () => void (await response.promise).end(Buffer.concat(parts)),
        destroy: async () => void (await response.promise).destroy(),
        requests: () => requests,
        length: () => parts.length,
      };
    };
    /** Requests the tarball, and sends parts until each client has received some. */
    const begin = async (name: string, source: ReturnType<typeof inParts>, clients = 1) => {
      const received: Response[] = [];
      const requests = Array.from({ length: clients }, async () => {
        const response = await hub.request(tarballPath(name, "1.0.0"));
        received.push(response);
        return response.arrayBuffer();
      });
      for (const body of requests) body.catch(() => {});
      while (received.length < clients && source.length() > 1) {
        await source.next();
        await wait(20);
      }
      expect([received.length, source.length() > 1]).toEqual([clients, true]);
      return requests;
    };

    test("to all clients by one download, and then from the store", async () => {
      const source = inParts("@lib/stream");
      const bodies = await begin("@lib/stream", source, 2);
      await source.end();
      const expected = Buffer.from(tarballOf("@lib/stream", "1.0.0", content));
      for (const body of bodies) expect(Buffer.from(await body).equals(expected)).toBe(true);
      await vi.waitFor(async () => {
        const again = await hub.request(tarballPath("@lib/stream", "1.0.0"));
        expect(again.headers.get("etag")).not.toBeNull();
        expect(Buffer.from(await again.arrayBuffer()).equals(expected)).toBe(true);
      });
      expect(source.requests()).toBe(1);
    });

    test.each(["dies", "lies"])("without its end if the upstream %s", async (fault) => {
      const name = `@lib/${fault}`;
      const before = await stored();
      const wrong = tarballOf(name, "1.0.0", `${content} `);
      const source = inParts(name, fault === "lies" ? wrong : undefined);
      const [body] = await begin(name, source);
      await (fault === "dies" ? source.destroy() : source.end());
      await expect(body).rejects.toThrow("terminated");
      await vi.waitFor(async () => expect(await stored()).toEqual(before));
      upstream.serve(name, { "1.0.0": content });
      const { status } = await hub.request(tarballPath(name, "1.0.0"));
      expect(status).toBe(200);
    });

    test("of an upstream that hangs, until a time limit", async () => {
      const source = inParts("@lib/hangs");
      const settings = { ...hub.hub.settings, HUB_UPSTREAM_TIMEOUT: 0.3 };
      const key = { name: "@lib/hangs", version: "1.0.0" };
      const download = async () =>
        await (
          await downloadTarball({ ...hub.hub, settings }, { origin: upstream.url }, key)
        )?.stored;
      void source.next();
      await expect(download()).rejects.toThrow("in time");
    });
  });

  test("revalidates an old document, and serves it while the upstream fails", async () => {
    upstream.serve("@lib/old", { "1.0.0": "x" });
    expect(await readVersions("@lib/old")).toEqual(["1.0.0"]);
    expire();
    const before = upstream.requests.length;
    expect(await readVersions("@lib/old")).toEqual(["1.0.0"]);
    expect(upstream.requests[before]?.headers["if-none-match"]).toBeDefined();
    const etag = (await hub.request("/@lib/old")).headers.get("etag")!;
    hub.hub.invalidate(undefined);
    expect((await hub.request("/@lib/old", { headers: { "if-none-match": etag } })).status).toBe(
      304,
    );
    expire();
    upstream.on("/@lib%2fold", (_request, response) => response.writeHead(500).end());
    const stale = await hub.request("/@lib/old");
    expect([stale.status, stale.headers.get("cache-status")]).toEqual([
      200,
      expect.stringMatching(/ttl=-\d+$/),
    ]);
    expect(await statusAndCode("/@lib/old/-/old-1.0.0.tgz")).toEqual([200, undefined]);
    upstream.on("/@lib%2fdown", (_request, response) => response.writeHead(500).end());
    expect(await statusAndCode("/@lib/down")).toEqual([503, "upstream-unavailable"]);
  });

  test("remembers for a minute that the upstream lacks a package", async () => {
    expect(await statusAndCode("/@lib/new")).toEqual([404, "not-found"]);
    upstream.serve("@lib/new", { "1.0.0": "x" });
    expect(await statusAndCode("/@lib/new")).toEqual([404, "not-found"]);
    hub.advanceClock(61_000);
    expect(await readVersions("@lib/new")).toEqual(["1.0.0"]);
  });

  test("keeps serving a tarball that it has stored after the upstream has lost the package", async () => {
    upstream.serve("@lib/lost", { "1.0.0": "x" });
    expect(await statusAndCode("/@lib/lost/-/lost-1.0.0.tgz")).toEqual([200, undefined]);
    upstream.on("/@lib%2flost", (_request, response) => response.writeHead(404).end());
    expire();
    expect(await statusAndCode("/@lib/lost")).toEqual([404, "not-found"]);
    expect(await statusAndCode("/@lib/lost/-/lost-1.0.0.tgz")).toEqual([200, undefined]);
  });

  test("never requests names of existing packages, of accounts and the excluded scopes", async () => {
    await publishOrThrow(hub, "@ada/mine", { as: ada });
    await publishOrThrow(hub, "@ada/hidden", { as: ada, access: "restricted" });
    const names = ["@ada/mine", "@ada/hidden", "@ada/free", "@own/thing"];
    for (const name of names) upstream.serve(name, { "9.9.9": "attack" });
    const before = upstream.requests.length;
    expect(await readVersions("@ada/mine")).toEqual(["1.0.0"]);
    for (const name of names.slice(1)) {
      expect(await statusAndCode(`/${name}`)).toEqual([404, "not-found"]);
      const file = `${name.split("/")[1]}-9.9.9.tgz`;
      expect(await statusAndCode(`/${name}/-/${file}`)).toEqual([404, "not-found"]);
    }
    expect(upstream.requests.length).toBe(before);
  });

  test("rejects packages and accounts with names of an upstream", async () => {
    await hub.hub.database
      .insertInto("accounts")
      .values({ name: "guarded", kind: "organisation", created_at: new Date() })
      .execute();
    for (const name of ["left-pad", "@guarded/new"]) {
      const response = await publish(hub, name, { as: ada });
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { code: "name-of-upstream" },
      ]);
    }
    upstream.serve("@taken/a", { "1.0.0": "x" });
    await readVersions("@taken/a");
    const response = await hub.request("/api/v1/organisations", {
      method: "POST",
      as: ada,
      body: { name: "taken" },
    });
    expect(await response.json()).toMatchObject({ code: "account-name-reserved" });
  });

  test("shows packages of an upstream with a token only to users", async () => {
    guarded.serve("@guarded/a", { "1.0.0": "secret" });
    const paths = ["/@guarded/a", "/@guarded/a/-/a-1.0.0.tgz"];
    for (const path of [...paths, ...paths]) {
      expect(await statusAndCode(path)).toEqual([404, "not-found"]);
      expect((await hub.request(path, { as: ada })).status).toBe(200);
    }
    expect(guarded.requests[0]?.headers.authorization).toBe("Bearer upstream-token");
  });

  test("does not pass requests of other hubs on", async () => {
    upstream.serve("@lib/loop", { "1.0.0": "x" });
    const headers = { "cdn-loop": "envs-hub" };
    expect((await hub.request("/@lib/loop", { headers })).status).toBe(404);
    expect((await hub.request("/@lib/loop")).status).toBe(200);
  });

  describe("does not serve", () => {
    test("a tarball that does not match its hash", async () => {
      upstream.serve("@evil/bytes", { "1.0.0": "good" });
      upstream.on(tarballPath("@evil/bytes", "1.0.0"), (_request, response) =>
        response.end(tarballOf("@evil/bytes", "1.0.0", "evil")),
      );
      expect(await statusAndCode("/@evil/bytes/-/bytes-1.0.0.tgz")).toEqual([
        502,
        "upstream-invalid",
      ]);
    });

    test("other hashes than the first of a version", async () => {
      upstream.serve("@evil/hash", { "1.0.0": "good" });
      const first = await read("/@evil/hash/1.0.0");
      upstream.serve("@evil/hash", { "1.0.0": "evil", "1.0.1": "evil" });
      expire();
      expect(await readVersions("@evil/hash")).toEqual(["1.0.0", "1.0.1"]);
      expect((await read("/@evil/hash/1.0.0"))["dist"]).toEqual(first["dist"]);
      expect(await statusAndCode("/@evil/hash/-/hash-1.0.0.tgz")).toEqual([
        502,
        "upstream-invalid",
      ]);
      expect(await statusAndCode("/@evil/hash/-/hash-1.0.1.tgz")).toEqual([200, undefined]);
      upstream.on("/@evil%2fhash", json(packument(upstream.url, "@evil/hash", {})));
      expire();
      await readVersions("@evil/hash");
      upstream.serve("@evil/hash", { "1.0.1": "worse" });
      expire();
      expect(await readVersions("@evil/hash")).toEqual([]);
    });

    test("a document of another package, or no document", async () => {
      upstream.on("/@evil%2fname", json(packument(upstream.url, "@lib/a", { "1.0.0": "x" })));
      upstream.on("/@evil%2ftext", (_request, response) => response.end("<html>"));
      upstream.on("/@evil%2flist", json([]));
      for (const name of ["@evil/name", "@evil/text", "@evil/list"])
        expect(await statusAndCode(`/${name}`)).toEqual([502, "upstream-invalid"]);
    });

    test("versions without a valid number or hash", async () => {
      const document = packument(upstream.url, "@evil/parts", { "1.0.0": "x" });
      const version = document.versions["1.0.0"]!;
      const { tarball } = version.dist;
      const versions = {
        ...document.versions,
        "2.0.0": { ...version, version: "2.0.0", dist: { tarball } },
        "3.0.0": version,
        "../4": { ...version, version: "../4" },
        "5.0.0": null,
      };
      upstream.on("/@evil%2fparts", json({ ...document, versions }));
      expect(await readVersions("@evil/parts")).toEqual(["1.0.0"]);
    });

    test("a redirect to another host, such as one of the hub's network", async () => {
      const inside = await testUpstream();
      inside.serve("@evil/away", { "1.0.0": "inside" });
      upstream.on("/@evil%2faway", (_request, response) =>
        response.writeHead(302, { location: `${inside.url}/@evil%2faway` }).end(),
      );
      upstream.on("/@evil%2fround", (_request, response) =>
        response.writeHead(302, { location: "/@evil%2fround" }).end(),
      );
      const document = packument(inside.url, "@evil/host", { "1.0.0": "inside" });
      upstream.on("/@evil%2fhost", json(document));
      inside.serve("@evil/host", { "1.0.0": "inside" });
      for (const name of ["@evil/away", "@evil/round"])
        expect(await statusAndCode(`/${name}`)).toEqual([502, "upstream-invalid"]);
      expect(await statusAndCode("/@evil/host/-/host-1.0.0.tgz")).toEqual([404, "not-found"]);
      expect(inside.requests).toEqual([]);
      await inside[Symbol.asyncDispose]();
    });

    test("a tarball above the limit, and ends the connection", async () => {
      upstream.serve("@evil/large", { "1.0.0": "x" });
      let sent = 0;
      upstream.on(tarballPath("@evil/large", "1.0.0"), async (_request, response) => {
        for (; !response.closed && sent < 10_000; sent += 1) {
          response.write(Buffer.alloc(100_000));
          await wait(1);
        }
      });
      expect(await statusAndCode("/@evil/large/-/large-1.0.0.tgz")).toEqual([
        502,
        "upstream-invalid",
      ]);
      expect(sent).toBeLessThan(1000);
    });
  });
});

test("does not wait for an upstream that does not respond, again and again", async () => {
  const upstream = await testUpstream();
  const { url } = upstream;
  await upstream[Symbol.asyncDispose]();
  await using hub = await testHub(anyDatabase, {
    HUB_LOG: "silent",
    HUB_UPSTREAM: `proxy ${url} @lib`,
  });
  const first = await hub.request("/@lib/a");
  expect([first.status, first.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(await (await hub.request("/@lib/a")).text()).toContain("failed a moment ago");
});
