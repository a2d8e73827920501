import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { hubClient } from "@envs/hub-client";
import { beforeAll, describe, expect, test } from "vitest";

import { databases } from "./support/hub.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const bulk = "/-/npm/v1/security/advisories/bulk";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  let chess: number;
  let secret: number;
  beforeAll(async () => {
    await seedOwnPackage(server.hub, ada, { bare: "chess" });
    await seedOwnPackage(server.hub, ada, { bare: "secret", access: "restricted" });
    const hub = hubClient({ url: server.url, token: ada.token });
    const publish = async (name: string, vulnerableVersions: string) =>
      await hub.publishAdvisory({
        name,
        title: "The reward leaks the answer",
        severity: "high",
        vulnerableVersions,
        cwe: ["CWE-200"],
      });
    chess = (await publish("@ada/chess", "<=0.3.1")).id;
    secret = (await publish("@ada/secret", "*")).id;
    const { id } = await publish("@ada/chess", "*");
    await hub.withdrawAdvisory({ name: "@ada/chess", id });
  });

  const send = async (body: BodyInit, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${server.url}${bulk}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    const json = (await response.json()) as Record<string, unknown>;
    return { status: response.status, json };
  };
  const requestAdvisories = (versions: object, headers: Readonly<Record<string, string>> = {}) =>
    send(JSON.stringify(versions), headers);

  test("returns the advisories of the requested versions", async () => {
    const { status, json } = await requestAdvisories({
      "@ada/chess": ["0.3.1", "0.4.0"],
      lodash: ["4.0.0"],
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      "@ada/chess": [
        {
          id: chess,
          url: `${server.url}/advisories/${chess}`,
          title: "The reward leaks the answer",
          severity: "high",
          vulnerable_versions: "<=0.3.1",
          cwe: ["CWE-200"],
          cvss: { score: 0, vectorString: null },
        },
      ],
    });
  });

  test("returns nothing for other versions, unknown packages and invalid versions", async () => {
    for (const query of [
      {},
      { "@ada/chess": ["0.4.0"] },
      { "@ada/chess": [] },
      { "@ada/chess": ["latest", "", "1.x"] },
      { "@grace/nothing": ["1.0.0"], "": ["1.0.0"], "\0": ["1.0.0"] },
    ])
      expect(await requestAdvisories(query)).toEqual({ status: 200, json: {} });
    expect((await requestAdvisories({ "@ada/chess": ["0.3.1-beta.1"] })).json).toHaveProperty([
      "@ada/chess",
    ]);
  });

  test("returns a private package's advisories only to its readers", async () => {
    const query = { "@ada/secret": ["1.0.0"] };
    const grace = await server.createUser("grace");
    expect((await requestAdvisories(query)).json).toEqual({});
    expect(
      (await requestAdvisories(query, { authorization: `Bearer ${grace.token}` })).json,
    ).toEqual({});
    const forOwner = await requestAdvisories(query, { authorization: `Bearer ${ada.token}` });
    expect(forOwner.json).toMatchObject({ "@ada/secret": [{ id: secret }] });
  });

  test("accepts a compressed body, as npm sends it", async () => {
    const body = JSON.stringify({ "@ada/chess": ["0.1.0"] });
    for (const [encoding, compress] of [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const) {
      const { json } = await send(new Uint8Array(compress(body)), { "content-encoding": encoding });
      expect(json, encoding).toHaveProperty(["@ada/chess"]);
    }
  });

  test.each([
    ["a compression bomb", new Uint8Array(gzipSync(Buffer.alloc(200 * 2 ** 20))), "gzip", 413],
    ["a body that is too large", new Uint8Array(11 * 2 ** 20).fill(32), "identity", 413],
    ["an unknown encoding", new Uint8Array([1, 2, 3]), "zstd", 415],
    ["an encoding named like a property of objects", new Uint8Array([1, 2, 3]), "constructor", 415],
    ["an encoding that the body does not have", new TextEncoder().encode("{}"), "gzip", 400],
    [
      "a truncated gzip body",
      new Uint8Array(gzipSync(`{"a":["${"x".repeat(999)}"]}`)).slice(0, 20),
      "gzip",
      400,
    ],
    ["invalid JSON", new TextEncoder().encode("{"), "identity", 400],
    ["an empty body", new Uint8Array(), "identity", 400],
    ["a list", new TextEncoder().encode('["@ada/chess"]'), "identity", 400],
    ["versions that are not text", new TextEncoder().encode('{"@ada/chess":[1]}'), "identity", 400],
  ])("rejects %s with a JSON error", async (_, body, encoding, status) => {
    const response = await send(body, { "content-encoding": encoding });
    expect(response).toEqual({
      status,
      json: { error: expect.any(String), message: expect.any(String), code: expect.any(String) },
    });
  });

  test("accepts 10,000 unknown packages and rejects one more", async () => {
    const many = (count: number): object =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`package-${index}`, ["1.0.0"]]),
      );
    expect(await requestAdvisories(many(10_000))).toEqual({ status: 200, json: {} });
    expect((await requestAdvisories(many(10_001))).status).toBe(413);
  });
});
