import { sql } from "kysely";
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres";

import { packageLinks } from "../packages/tarball/package-links.ts";
import type { Database } from "../platform/database/tables.ts";

/** A result in the format of `npm search`, without the score, which depends on the query. */
export type NpmResult = Awaited<ReturnType<typeof npmResultsOf>>[number];

/** Reads packages in the format of `npm search`, in the order of the ids. */
export async function npmResultsOf(database: Database, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const rows = await rowsOf(database, ids);
  const byId = new Map(rows.map((row) => [row.package_id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).map(resultOf);
}

type Row = Awaited<ReturnType<typeof rowsOf>>[number];

function resultOf(row: Row) {
  const { name, version, owner, manifest, deprecated } = row;
  const { license, homepage, repository, bugs } = packageLinks(manifest);
  const [maintainer] = row.maintainers;
  return {
    package: {
      name,
      scope: /^@([^/]+)\//.exec(name)?.[1] ?? "unscoped",
      version,
      description: row.description,
      keywords: [...new Set([...row.keywords, ...row.tags])],
      date: row.published_at.toISOString(),
      links: { homepage, repository, bugs },
      // pnpm fails on a package without a publisher.
      publisher: row.publisher ?? maintainer ?? { username: owner, email: "" },
      maintainers: row.maintainers,
      ...(license !== null && { license }),
    },
    detail: {
      quality: deprecated === null ? 1 : 0,
      popularity: Math.min(1, Math.log10(1 + row.downloads) / 6),
      maintenance: row.is_archived ? 0 : 1,
    },
    flags: {
      ...(/^0\.|-/.test(version) && { unstable: true }),
      ...(deprecated !== null && { deprecated }),
    },
  };
}

async function rowsOf(database: Database, ids: readonly number[]) {
  return await database
    .selectFrom("search_entries as entry")
    .innerJoin("versions", "versions.id", "entry.version_id")
    .where("entry.package_id", "in", ids)
    .select(["entry.package_id", "entry.name", "entry.owner", "entry.description"])
    .select(["entry.keywords", "entry.tags", "entry.is_archived", "entry.deprecated"])
    .select(["entry.downloads", "entry.published_at", "versions.version", "versions.manifest"])
    .select((row) => [
      jsonObjectFrom(
        row
          .selectFrom("accounts")
          .innerJoin("users", "users.account_id", "accounts.id")
          .whereRef("accounts.id", "=", "versions.published_by")
          .select(["accounts.name as username", sql<string>`coalesce(email, '')`.as("email")]),
      ).as("publisher"),
      jsonArrayFrom(
        row
          .selectFrom("package_users")
          .innerJoin("accounts", "accounts.id", "package_users.user_id")
          .innerJoin("users", "users.account_id", "accounts.id")
          .whereRef("package_users.package_id", "=", "entry.package_id")
          .where("package_users.is_maintainer", "=", true)
          .orderBy("accounts.name")
          .select(["accounts.name as username", sql<string>`coalesce(email, '')`.as("email")]),
      ).as("maintainers"),
    ])
    .execute();
}
