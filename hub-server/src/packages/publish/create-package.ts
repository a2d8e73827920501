import type { Package } from "../../access/permissions/require-package.ts";
import { developers } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/connect.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { similarityKeys } from "../../platform/names/similarity.ts";

/**
 * Creates a package in the transaction that publishes its first version. The creator maintains it, and the developers
 * team of an organisation may write to it. Violates the unique key `packages_name_key` if a concurrent publish created it.
 */
export async function createPackage(
  transaction: Database,
  {
    name,
    ownerId,
    creatorId,
    access,
    now,
  }: {
    readonly name: string;
    readonly ownerId: number;
    readonly creatorId: number;
    readonly access: "public" | "restricted";
    readonly now: Date;
  },
): Promise<Package> {
  const package_ = await transaction
    .insertInto("packages")
    .values({
      name,
      scope: packageName(name).scope ?? "",
      owner_id: ownerId,
      similarity_keys: [...similarityKeys(name)],
      access,
      created_at: now,
      modified_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto("package_users")
    .values({
      package_id: package_.id,
      user_id: creatorId,
      permission: "write",
      is_maintainer: true,
    })
    .execute();
  await transaction
    .insertInto("team_packages")
    .columns(["team_id", "package_id", "permission"])
    .expression((query) =>
      query
        .selectFrom("teams")
        .where("organisation_id", "=", ownerId)
        .where("name", "=", developers)
        .select((row) => [
          "teams.id",
          row.val(package_.id).as("package_id"),
          row.val("write").as("permission"),
        ]),
    )
    .execute();
  return package_;
}
