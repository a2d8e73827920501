import { beforeAll, describe, expect, test } from "vitest";

import { databases, type TestUser } from "./support/hub.ts";
import { escapedName, type PackageDocument, readDocument } from "./support/package-document.ts";
import { publishBody } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

/** A request that changes a package, as a client sends it. */
type Request = readonly [
  method: string,
  path: (name: string) => string,
  body?: (name: string, document: PackageDocument) => unknown,
];

const requests: readonly Request[] = [
  ["PUT", (name) => `/-/package/${name}/dist-tags/next`, () => "1.0.0"],
  ["POST", (name) => `/-/package/${name}/dist-tags/next`, () => "1.0.0"],
  ["DELETE", (name) => `/-/package/${name}/dist-tags/beta`],
  ["PUT", (name) => `/-/package/${name}/owners`, () => ({ user: "bob" })],
  ["DELETE", (name) => `/-/package/${name}/owners/ada`],
  ["PUT", (name) => `/${name}`, (_, document) => deprecating(document)],
  ["PUT", (name) => `/${name}/-rev/{rev}`, (_, { _rev }) => ({ _rev, maintainers: [] })],
  ["PUT", (name) => `/${name}/-rev/{rev}`, (_, document) => ({ ...document, versions: {} })],
  ["DELETE", (name) => `/${name}/-rev/{rev}`],
  ["DELETE", (name) => `/${name}/-/demo-1.0.0.tgz/-rev/{rev}`],
  ["PUT", (name) => `/api/v1/packages/${name}/versions/1.0.0/yank`],
  ["DELETE", (name) => `/api/v1/packages/${name}/versions/1.0.0/yank`],
  ["PUT", (name) => `/api/v1/packages/${name}/archive`],
  ["DELETE", (name) => `/api/v1/packages/${name}/archive`],
  ["PUT", () => "/-/pnpr/v0/publish", (name) => ({ packages: [publishBody(name, next)] })],
];
const staging: Request = [
  "POST",
  (name) => `/-/stage/package/${name}`,
  (name) => publishBody(name, next),
];
const stars: readonly Request[] = [
  ["PUT", (name) => `/-/user/package/${name}/star`],
  ["PUT", () => "/-/user/v1/star", (name) => ({ package: name })],
  ["PUT", (name) => `/${name}`, (_, { _id, _rev }) => ({ _id, _rev, users: { eve: true } })],
];
const next = { version: "1.1.0" };

function deprecating(document: PackageDocument) {
  const manifest = { ...document.versions["1.0.0"], deprecated: "old" };
  return { ...document, versions: { "1.0.0": manifest } };
}

describe.each(databases)("the permission to change a package on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  const eve = sharedUser(server, "eve");
  let open: string;
  let hidden: string;

  beforeAll(async () => {
    const tags = { latest: "1.0.0", beta: "1.0.0" };
    ({ name: open } = await seedOwnPackage(server.hub, ada, { tags }));
    const restricted = { bare: "hidden", access: "restricted", tags } as const;
    ({ name: hidden } = await seedOwnPackage(server.hub, ada, restricted));
  });

  const send = async ([method, path, body]: Request, name: string, as?: TestUser) => {
    const document = await readDocument(server, name, ada);
    const address = path(escapedName(name)).replace("{rev}", document._rev);
    const payload = body?.(name, document);
    return await server.request(address, {
      method,
      body: payload,
      ...(as === undefined ? {} : { as }),
    });
  };
  const codes = async (all: readonly Request[], name: string, as?: TestUser) => {
    const outcomes: unknown[] = [];
    for (const request of all) {
      const [status, body] = await statusAndBody(send(request, name, as));
      outcomes.push([request[0], request[1]("…"), status, (body as { code: string }).code]);
    }
    return outcomes;
  };
  const each = (all: readonly Request[], status: number, code: unknown) =>
    all.map(([method, path]) => [method, path("…"), status, code]);
  const setToken = (user: TestUser, columns: { readonly?: boolean; packages?: string[] | null }) =>
    server.hub.database.updateTable("tokens").set(columns).where("user_id", "=", user.id).execute();

  test("returns 401 to anonymous clients", async () => {
    const all = [...requests, ...stars, staging];
    expect(await codes(all, open)).toEqual(each(all, 401, "unauthorized"));
    expect(await codes(all, hidden)).toEqual(each(all, 401, "unauthorized"));
  });

  test("returns 403 to a user who has only read permission", async () => {
    const all = [...requests, staging];
    expect(await codes(all, open, eve)).toEqual(each(all, 403, "forbidden"));
  });

  test("returns 404 for a private package to a user who cannot read it", async () => {
    const all = [...requests, ...stars, staging];
    const outcomes = await codes(all, hidden, eve);
    expect(outcomes).toEqual(
      each(all, 404, expect.stringMatching(/^(not-found|scope-not-yours)$/)),
    );
  });

  test("rejects a read-only token", async () => {
    const all = [...requests, ...stars, staging];
    await setToken(ada, { readonly: true });
    try {
      expect(await codes(all, open, ada)).toEqual(each(all, 403, "read-only-token"));
    } finally {
      await setToken(ada, { readonly: false });
    }
  });

  test("rejects a token for another package", async () => {
    const all = [...requests, staging];
    await setToken(ada, { packages: ["@ada/other"] });
    try {
      expect(await codes(all, open, ada)).toEqual(each(all, 403, "forbidden"));
    } finally {
      await setToken(ada, { packages: null });
    }
  });

  test("requires the user's second factor except for stars and staging", async () => {
    const confirm = (at: Date | null) =>
      server.hub.database
        .updateTable("users")
        .set({ totp_secret: "unused", totp_confirmed_at: at })
        .where("account_id", "=", ada.id)
        .execute();
    await confirm(server.hub.clock());
    try {
      expect(await codes(requests, open, ada)).toEqual(each(requests, 401, "one-time-password"));
      expect(
        (await send(["PUT", () => "/-/user/v1/star", (name) => ({ package: name })], open, ada))
          .status,
      ).toBe(200);
      expect((await send(staging, open, ada)).status).toBe(201);
    } finally {
      await confirm(null);
    }
  });

  test("returns 403 to a user without a second factor if the package requires one", async () => {
    const { id, name } = await seedOwnPackage(server.hub, ada, {
      bare: "strict",
      tags: { latest: "1.0.0", beta: "1.0.0" },
    });
    await server.hub.database
      .updateTable("packages")
      .set({ requires_2fa: true })
      .where("id", "=", id)
      .execute();
    expect(await codes(requests, name, ada)).toEqual(each(requests, 403, "forbidden"));
  });
});
