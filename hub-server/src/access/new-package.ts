import type { Database } from "../database/connect.ts";
import { HubError } from "../http/errors.ts";
import { packageName } from "../names/package-name.ts";
import { similarityKeys } from "../names/similarity.ts";
import { developers } from "../teams/developers.ts";
import type { Package } from "./permissions.ts";

/**
 * Takes a name, in the transaction that publishes its first version: the creator maintains the package, and in an
 * organisation its developers may write to it. Whether they may is what {@link publishingRight} says.
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
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (created === undefined) return await madeMeanwhile(transaction, { name, ownerId });
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

/** Two publishes of one new name at the same moment: the later one adds its version to the package of the earlier. */
async function madeMeanwhile(
  transaction: Database,
  { name, ownerId }: { readonly name: string; readonly ownerId: number },
): Promise<Package> {
  const made = await transaction
    .selectFrom("packages")
    .where("name", "=", name)
    .selectAll()
    .executeTakeFirstOrThrow();
  if (made.owner_id === ownerId) return made;
  throw new HubError(409, "name-taken", {
    message: `${name} was taken by somebody else a moment ago. Choose another name.`,
  });
}
