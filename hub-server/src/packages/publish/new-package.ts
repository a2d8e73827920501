import type { Package } from "../../access/permissions/permissions.ts";
import { developers } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/connect.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { similarityKeys } from "../../platform/names/similarity.ts";

/**
 * Takes a name, in the transaction that publishes its first version: the creator maintains the package, and in an
 * organisation its developers may write to it. Whether they may is what {@link publishingRight} says. A name that
 * somebody takes at the same moment breaks the unique key.
 */
export async function newPackage(
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
  const created = await transaction
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
      package_id: created.id,
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
          row.val(created.id).as("package_id"),
          row.val("write").as("permission"),
        ]),
    )
    .execute();
  return created;
}
