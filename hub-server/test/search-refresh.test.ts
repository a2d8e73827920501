import { sql } from "kysely";
import { describe, expect, test } from "vitest";

import { change } from "../src/platform/hub/hub.ts";
import { databases } from "./support/hub.ts";
import { type SeededPackage, seedOwnPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");

  const refresh = (package_: SeededPackage): Promise<void> =>
    change(server.hub, async ({ touch }) => touch(package_));
  const entry = (package_: SeededPackage) =>
    server.hub.database
      .selectFrom("search_entries")
      .where("package_id", "=", package_.id)
      .select(["version_id", "description", "downloads", "stars", "is_public", "owner", "versions"])
      .executeTakeFirst();

  test("indexes the version of the tag latest", async () => {
    const package_ = await seedOwnPackage(server.hub, ada, {
      bare: "by-tag",
      versions: ["1.0.0", "2.0.0"],
      tags: { latest: "1.0.0", next: "2.0.0" },
    });
    await refresh(package_);
    expect(await entry(package_)).toMatchObject({
      version_id: package_.versions["1.0.0"],
      is_public: true,
      owner: "ada",
    });
  });

  test("indexes the highest version that is not yanked, or none", async () => {
    const package_ = await seedOwnPackage(server.hub, ada, {
      bare: "yanked",
      versions: ["9.0.0", "10.0.0", "11.0.0"],
    });
    const yank = async (version: string): Promise<void> => {
      await server.hub.database
        .updateTable("versions")
        .set({ yanked_at: server.hub.clock() })
        .where("id", "=", package_.versions[version] ?? 0)
        .execute();
      await refresh(package_);
    };
    await yank("11.0.0");
    expect(await entry(package_)).toMatchObject({
      version_id: package_.versions["10.0.0"],
      versions: 3,
    });
    await yank("10.0.0");
    await yank("9.0.0");
    expect(await entry(package_)).toBeUndefined();
  });

  test("recounts stars and keeps downloads", async () => {
    const package_ = await seedOwnPackage(server.hub, ada, { bare: "counted" });
    const { database, clock } = server.hub;
    const id = package_.versions["1.0.0"] ?? 0;
    const day = "2026-02-03";
    await database.insertInto("downloads").values({ version_id: id, day, count: 7 }).execute();
    await refresh(package_);
    expect(await entry(package_)).toMatchObject({ stars: 0, downloads: 7 });
    await database
      .insertInto("stars")
      .values({ package_id: package_.id, user_id: ada.id, created_at: clock() })
      .execute();
    await database
      .updateTable("search_entries")
      .set({ downloads: sql<number>`downloads + 1` })
      .where("package_id", "=", package_.id)
      .execute();
    await refresh(package_);
    expect(await entry(package_)).toMatchObject({ stars: 1, downloads: 8 });
  });
});
