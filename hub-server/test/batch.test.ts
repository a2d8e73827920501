import { describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { readDocument } from "./support/package-document.ts";
import { publishBody } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("publishing a workspace at once on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const eve = sharedUser(server, "eve");

  const send = (packages: unknown, as: TestUser) =>
    statusAndBody(server.request("/-/pnpr/v0/publish", { method: "PUT", as, body: { packages } }));
  const versions = async (name: string) => {
    const response = await server.request(`/${name}`);
    return response.ok ? Object.keys((await readDocument(server, name)).versions) : undefined;
  };

  test("publishes all packages", async () => {
    const [a, b] = ["@ada/first", "@ada/second"] as const;
    const packages = [
      publishBody(b, { packageJson: { dependencies: { [a]: "^1.0.0" } } }),
      publishBody(a, {}),
    ];
    expect(await send(packages, ada)).toMatchObject([201, { ok: true, success: true }]);
    expect([await versions(a), await versions(b)]).toEqual([["1.0.0"], ["1.0.0"]]);
  });

  test.each<[string, (valid: string) => readonly unknown[], number, string]>([
    [
      "a version that is already published",
      () => [publishBody("@ada/there", {})],
      409,
      "version-exists",
    ],
    [
      "a version twice",
      (valid) => [publishBody(valid, { packageJson: { description: "again" } })],
      409,
      "version-exists",
    ],
    ["a scope of another user", () => [publishBody("@eve/demo", {})], 404, "scope-not-yours"],
    [
      "a truncated tarball",
      () => {
        const body = publishBody("@ada/cut", {});
        const attachment = { data: "H4sI", content_type: "application/octet-stream" };
        return [{ ...body, _attachments: { "@ada/cut-1.0.0.tgz": attachment } }];
      },
      400,
      "integrity-mismatch",
    ],
    ["a value that is not a document", () => ["text"], 400, "invalid-request"],
  ])("publishes nothing with %s", async (what, others, status, code) => {
    await send([publishBody("@ada/there", {})], ada);
    const valid = `@ada/${what.replaceAll(" ", "-")}`;
    const packages = [publishBody(valid, {}), ...others(valid)];
    expect(await send(packages, ada)).toMatchObject([status, { code }]);
    expect(await versions(valid)).toBeUndefined();
  });

  test("publishes several versions of one package", async () => {
    const name = "@ada/several";
    const packages = ["1.0.0", "1.1.0"].map((version) => publishBody(name, { version }));
    expect((await send(packages, ada))[0]).toBe(201);
    expect(await versions(name)).toEqual(["1.0.0", "1.1.0"]);
  });

  test("returns 401 without a token and rejects an empty list", async () => {
    const options = { method: "PUT", body: { packages: [publishBody("@ada/x", {})] } };
    expect((await server.request("/-/pnpr/v0/publish", options)).status).toBe(401);
    expect(await send([], eve)).toMatchObject([400, { code: "invalid-request" }]);
  });
});
