import { readFile } from "node:fs/promises";

import { databases } from "@envs/hub-testing/hub";
import { escapedName } from "@envs/hub-testing/package-document";
import { seedOwnPackage } from "@envs/hub-testing/seed-package";
import { sharedHub, sharedUser } from "@envs/hub-testing/shared-hub";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";

const migration = new URL("../migrations/0010-stored-shrinkwraps.sql", import.meta.url);

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind);
  const ada = sharedUser(server, "ada");

  test("a migration hides stored shrinkwraps from npm and deprecates their versions", async () => {
    const { name } = await seedOwnPackage(server.hub, ada, {
      versions: [
        { version: "1.0.0", manifest: { type: "module", _hasShrinkwrap: true } },
        { version: "2.0.0", manifest: { type: "module" } },
      ],
    });
    const read = async () =>
      (await (await server.request(`/${escapedName(name)}?write=true`)).json()) as {
        readonly _rev: string;
        readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      };
    const before = await read();
    for (const statement of (await readFile(migration, "utf8")).split(/;\s*$/m))
      if (statement.includes("update ")) await sql.raw(statement).execute(server.hub.database);
    const after = await read();
    expect(after._rev).not.toBe(before._rev);
    expect(after.versions["1.0.0"]).toMatchObject({
      type: "module",
      deprecated: expect.stringContaining("npm-shrinkwrap.json"),
    });
    expect(after.versions["1.0.0"]).not.toHaveProperty("_hasShrinkwrap");
    expect(after.versions["2.0.0"]).toEqual(before.versions["2.0.0"]);
  });
});
