import { sql } from "kysely";
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres";

import type { Database } from "../../platform/database/tables.ts";

/** A consistent snapshot of a package, from which its documents are built. */
export type PackageSource = NonNullable<Awaited<ReturnType<typeof packageSource>>>;
export type VersionSource = PackageSource["versions"][number];

/** Reads a package in one statement, because it could change between two. */
export async function packageSource(database: Database, packageId: number) {
  return await database
    .selectFrom("packages")
    .where("packages.id", "=", packageId)
    .select(["id", "name", "access", "revision", "archived_at", "created_at", "modified_at"])
    .select((package_) => [
      jsonArrayFrom(
        package_
          .selectFrom("versions")
          .whereRef("versions.package_id", "=", "packages.id")
          .where("unpublished_at", "is", null)
          .orderBy("versions.id")
          .select(["id", "version", "manifest", "shasum", "integrity", "signatures"])
          .select(["file_count", "unpacked_size", "deprecated", "readme_file"])
          .select(["published_at", "yanked_at"])
          .select((version) => [
            jsonObjectFrom(
              version
                .selectFrom("accounts")
                .innerJoin("users", "users.account_id", "accounts.id")
                .whereRef("accounts.id", "=", "versions.published_by")
                .select(["accounts.name", "users.email"]),
            ).as("publisher"),
            version
              .selectFrom("attestations")
              .whereRef("attestations.version_id", "=", "versions.id")
              .select(sql<string[]>`json_agg(predicate_type order by predicate_type)`.as("types"))
              .as("attested"),
          ]),
      ).as("versions"),
      jsonArrayFrom(
        package_
          .selectFrom("dist_tags")
          .innerJoin("versions", "versions.id", "dist_tags.version_id")
          .whereRef("dist_tags.package_id", "=", "packages.id")
          .orderBy("tag")
          .select(["tag", "versions.version"]),
      ).as("tags"),
      jsonArrayFrom(
        package_
          .selectFrom("package_users")
          .innerJoin("accounts", "accounts.id", "package_users.user_id")
          .innerJoin("users", "users.account_id", "package_users.user_id")
          .whereRef("package_users.package_id", "=", "packages.id")
          .where("is_maintainer", "=", true)
          .orderBy("accounts.name")
          .select(["accounts.name", "users.email"]),
      ).as("maintainers"),
      jsonArrayFrom(
        package_
          .selectFrom("stars")
          .innerJoin("accounts", "accounts.id", "stars.user_id")
          .whereRef("stars.package_id", "=", "packages.id")
          .orderBy("accounts.name")
          .select("accounts.name"),
      ).as("stars"),
    ])
    .executeTakeFirst();
}
