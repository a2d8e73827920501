import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { anyDatabase } from "@envs/hub-testing/hub";
import { seedCatalogue } from "@envs/hub-testing/seed-catalogue";
import { sharedHub, sharedUser } from "@envs/hub-testing/shared-hub";
import { sql } from "kysely";
import { expect, test } from "vitest";

const server = sharedHub(anyDatabase);
const ada = sharedUser(server, "ada");
const path = join(import.meta.dirname, "../migrations/0013-search-facets.sql");

test("the migration computes the same facets for old entries as the index for new ones", async () => {
  const { database } = server.hub;
  await seedCatalogue(server.hub, ada);
  const facets = () =>
    database
      .selectFrom("search_entries")
      .select(["name", "needs", "protocols", "license"])
      .orderBy("name")
      .execute();
  const indexed = await facets();
  await database
    .updateTable("search_entries")
    .set({ needs: sql`'{}'`, protocols: sql`'{}'`, license: null })
    .execute();
  const migration = await readFile(path, "utf8");
  const statements = migration.split(/;\n/u).filter((statement) => !/alter table/u.test(statement));
  for (const statement of statements)
    if (statement.trim() !== "") await sql.raw(statement).execute(database);
  expect(await facets()).toEqual(indexed);
  expect(indexed.flatMap(({ needs }) => needs).sort()).toEqual(["judge", "node"]);
});
