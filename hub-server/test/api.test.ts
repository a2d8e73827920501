import { hubClient, type HubClient, type HubRequestError } from "@envs/hub-client";
import { beforeAll, describe, expect, test } from "vitest";

import { change } from "../src/platform/hub/hub.ts";
import { databases } from "./support/hub.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import type { SeededPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const day = (at: Date, ago = 0): string =>
  new Date(at.getTime() - ago * 86_400_000).toISOString().slice(0, 10);

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");
  let hub: HubClient;
  let chess: SeededPackage;
  beforeAll(async () => {
    hub = hubClient({ url: server.url });
    chess = await seedEnvironment(server.hub, ada, {
      bare: "chess",
      versions: ["1.9.0", "1.10.0", "2.0.0-beta.1"],
      tags: { latest: "1.10.0", next: "2.0.0-beta.1" },
      readme: "# Chess",
      packageJson: {
        license: "MIT",
        homepage: "https://example.com",
        repository: "github:envs/chess",
        dependencies: { "@envs/core": "^1.0.0" },
        engines: { node: ">=22" },
      },
      manifest: { description: "Play a game.", tags: ["game"] },
    });
    await seedEnvironment(server.hub, ada, { bare: "secret", access: "restricted" });
    const id = (version: string): number => chess.versions[version] ?? 0;
    const { database, clock } = server.hub;
    await database
      .insertInto("downloads")
      .values([
        { version_id: id("1.9.0"), day: day(clock()), count: 2 },
        { version_id: id("1.10.0"), day: day(clock()), count: 3 },
        { version_id: id("1.10.0"), day: day(clock(), 40), count: 5 },
      ])
      .execute();
    await database.updateTable("search_entries").set({ downloads: 10 }).execute();
    await database
      .insertInto("files")
      .values({ version_id: id("1.9.0"), path: "dist/index.js", size: 7, sha256: "00" })
      .execute();
    await database
      .insertInto("stars")
      .values({ package_id: chess.id, user_id: ada.id, created_at: clock() })
      .execute();
    await change(server.hub, async ({ database, now, touch }) => {
      await database
        .updateTable("versions")
        .set({ yanked_at: now, deprecated: "Loses on time." })
        .where("id", "=", id("1.9.0"))
        .execute();
      touch(chess);
    });
  });

  const refusal = async (call: Promise<unknown>): Promise<Partial<HubRequestError>> => {
    const error = await call.then(
      () => undefined,
      (error: unknown) => error as HubRequestError,
    );
    return { status: error?.status, code: error?.code ?? "none" };
  };
  const missing = { status: 404, code: "not-found" };

  test("returns a package with its latest version", async () => {
    expect(await hub.readPackage({ name: "@ada/chess" })).toMatchObject({
      name: "@ada/chess",
      description: "Play a game.",
      owner: { name: "ada", kind: "user" },
      maintainers: ["ada"],
      access: "public",
      isArchived: false,
      stars: 1,
      downloads: { total: 10, days: [{ day: day(server.hub.clock()), count: 5 }] },
      tags: { latest: "1.10.0", next: "2.0.0-beta.1" },
      versions: [
        { version: "2.0.0-beta.1", isYanked: false },
        { version: "1.10.0", isYanked: false, deprecated: null, publishedBy: "ada" },
        { version: "1.9.0", isYanked: true, deprecated: "Loses on time." },
      ],
      latest: "1.10.0",
      license: "MIT",
      homepage: "https://example.com/",
      repository: "https://github.com/envs/chess",
      readme: "# Chess",
      environment: { package: { version: "1.10.0" }, tags: ["game"] },
    });
  });

  test("accepts a scoped name in one path segment or two", async () => {
    for (const name of ["@ada/chess", "@ada%2fchess", "@ada%2Fchess", "%40ada/chess"])
      for (const after of ["", "/versions/latest", "/downloads"])
        expect((await server.request(`/api/v1/packages/${name}${after}`)).status, name).toBe(200);
  });

  test("returns a version by number or dist-tag", async () => {
    const next = await hub.readVersion({ name: "@ada/chess", version: "next" });
    expect(next).toMatchObject({
      version: "2.0.0-beta.1",
      tags: ["next"],
      tarball: `${server.url}/@ada/chess/-/chess-2.0.0-beta.1.tgz`,
      dependencies: { "@envs/core": "^1.0.0" },
      peerDependencies: {},
      engines: { node: ">=22" },
      files: [],
      environment: { package: { version: "2.0.0-beta.1" } },
    });
    const old = await hub.readVersion({ name: "@ada/chess", version: "1.9.0" });
    expect(old).toMatchObject({
      isYanked: true,
      downloads: 2,
      files: [{ path: "dist/index.js", size: 7, sha256: "00" }],
    });
    const missingVersion = hub.readVersion({ name: "@ada/chess", version: "3.0.0" });
    expect(await refusal(missingVersion)).toEqual(missing);
    const invalid = hub.readVersion({ name: "@ada/chess", version: "__proto__" });
    expect(await refusal(invalid)).toEqual(missing);
  });

  test("returns downloads by day and by version", async () => {
    const { clock } = server.hub;
    expect(await hub.readDownloads({ name: "@ada/chess" })).toEqual({
      from: day(clock(), 29),
      to: day(clock()),
      total: 5,
      days: [{ day: day(clock()), count: 5 }],
      versions: [
        { version: "1.10.0", count: 3 },
        { version: "1.9.0", count: 2 },
      ],
    });
    const long = await hub.readDownloads({ name: "@ada/chess", from: day(clock(), 40) });
    expect(long.total).toBe(10);
    for (const [from, to] of [
      ["2026-02-03", "2026-02-02"],
      ["2020-01-01", "2026-01-01"],
      ["0000-01-01", "0000-01-02"],
      [undefined, "0000-01-02"],
    ] as const) {
      const invalid = hub.readDownloads({ name: "@ada/chess", to, ...(from && { from }) });
      expect(await refusal(invalid)).toEqual({ status: 400, code: "invalid-period" });
    }
    const text = await server.request("/api/v1/packages/@ada/chess/downloads?from=yesterday");
    expect(text.status).toBe(400);
  });

  test("returns downloads in the format of npm's download API", async () => {
    const today = day(server.hub.clock());
    const read = async (path: string) => {
      const response = await server.request(`/downloads/${path}/@ada/chess`);
      return [response.status, await response.json()];
    };
    const package_ = "@ada/chess";
    expect(await read("point/last-day")).toEqual([
      200,
      { downloads: 5, start: today, end: today, package: package_ },
    ]);
    expect(await read("range/2026-02-01:2026-02-02")).toEqual([
      200,
      {
        downloads: [
          { day: "2026-02-01", downloads: 0 },
          { day: "2026-02-02", downloads: 0 },
        ],
        start: "2026-02-01",
        end: "2026-02-02",
        package: package_,
      },
    ]);
    for (const period of ["last-century", "2026-02-31", "2026-02-01:", "2026-13-01"])
      expect(await read(`point/${period}`), period).toMatchObject([
        400,
        { code: "invalid-period" },
      ]);
  });

  test("returns 404 for a package that the client cannot read", async () => {
    const grace = await server.createUser("grace");
    const strangers = [hub, hubClient({ url: server.url, token: grace.token })];
    for (const stranger of strangers) {
      const name = "@ada/secret";
      const responses = [
        stranger.readPackage({ name }),
        stranger.readVersion({ name, version: "1.0.0" }),
        stranger.readDownloads({ name }),
      ];
      expect(await Promise.all(responses.map(refusal))).toEqual(responses.map(() => missing));
      const { packages } = await stranger.readUser({ user: "ada" });
      expect(packages.map((each) => each.name)).toEqual(["@ada/chess"]);
    }
    expect((await server.request("/downloads/point/last-day/@ada/secret")).status).toBe(404);
    const own = hubClient({ url: server.url, token: ada.token });
    expect(await own.readPackage({ name: "@ada/secret" })).toMatchObject({ access: "restricted" });
    const { packages } = await own.readUser({ user: "ada" });
    expect(packages.map((each) => each.name)).toEqual(["@ada/chess", "@ada/secret"]);
  });

  test("returns 404 for a package without versions", async () => {
    const emptyPackage = await seedEnvironment(server.hub, ada, { bare: "gone" });
    await change(server.hub, async ({ database, now, touch }) => {
      await database
        .updateTable("versions")
        .set({ unpublished_at: now })
        .where("package_id", "=", emptyPackage.id)
        .execute();
      touch(emptyPackage);
    });
    expect(await refusal(hub.readPackage({ name: emptyPackage.name }))).toEqual(missing);
    const version = hub.readVersion({ name: emptyPackage.name, version: "1.0.0" });
    expect(await refusal(version)).toEqual(missing);
  });

  test("returns a user's profile without private fields", async () => {
    const { packages, ...profile } = await hub.readUser({ user: "ada" });
    expect(profile).toEqual({
      name: "ada",
      kind: "user",
      fullName: "",
      createdAt: expect.any(String),
    });
    expect(packages).toMatchObject([{ name: "@ada/chess", downloads: 10 }]);
    expect(await refusal(hub.readUser({ user: "nobody" }))).toEqual(missing);
  });

  test("counts only public packages in the statistics", async () => {
    const { accounts, ...rest } = await hub.readStatistics();
    expect(rest).toEqual({ packages: 1, environments: 1, versions: 3, downloads: 10 });
    expect(accounts).toBeGreaterThan(0);
  });

  test("returns a manifest with its config in the author's order", async () => {
    const properties = { wordLength: {}, few: {}, alphabet: {} };
    const config = { type: "object", properties };
    const { name } = await seedEnvironment(server.hub, ada, {
      bare: "ordered",
      manifest: { config },
    });
    const { environment } = await hub.readPackage({ name });
    expect(Object.keys(environment?.config["properties"] ?? {})).toEqual(Object.keys(properties));
  });
});
