import { HubError } from "../../platform/errors/hub-error.ts";
import type { PackageChange } from "../changes/change-package.ts";

/** The names of those who maintain a package. */
async function ownersOf({ database, found }: PackageChange): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("package_users")
    .innerJoin("accounts", "accounts.id", "package_users.user_id")
    .where("package_users.package_id", "=", found.id)
    .where("package_users.is_maintainer", "=", true)
    .select("accounts.name")
    .orderBy("accounts.name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Makes exactly these users the maintainers of a package. */
export async function setOwners(change: PackageChange, names: readonly string[]): Promise<void> {
  const before = await ownersOf(change);
  const wanted = new Set(names);
  for (const name of wanted) if (!before.includes(name)) await addOwner(change, name);
  for (const name of before) if (!wanted.has(name)) await removeOwner(change, name);
}

/** Lets a user maintain a package: write to it, and be listed by `npm owner ls`. */
export async function addOwner(change: PackageChange, name: string): Promise<void> {
  const { database, found, event, touch } = change;
  const user = await database
    .selectFrom("accounts")
    .innerJoin("users", "users.account_id", "accounts.id")
    .where("accounts.name", "=", name)
    .where("users.disabled_at", "is", null)
    .select("accounts.id")
    .executeTakeFirst();
  if (user === undefined)
    throw new HubError("user-not-found", {
      message: `There is no user ${JSON.stringify(name.slice(0, 250))} on this hub to maintain ${found.name}.`,
    });
  if ((await ownersOf(change)).includes(name)) return;
  await database
    .insertInto("package_users")
    .values({ package_id: found.id, user_id: user.id, permission: "write", is_maintainer: true })
    .onConflict((conflict) =>
      conflict
        .columns(["package_id", "user_id"])
        .doUpdateSet({ permission: "write", is_maintainer: true }),
    )
    .execute();
  event({ type: "owner.added", subject: found.name, detail: { user: name } });
  touch();
}

/** Ends what a user may do as a maintainer. Somebody stays, and so does the owner of the scope. */
export async function removeOwner(change: PackageChange, name: string): Promise<void> {
  const { database, found, event, touch } = change;
  const before = await ownersOf(change);
  if (!before.includes(name))
    throw new HubError("owner-not-found", {
      message: `${JSON.stringify(name.slice(0, 250))} does not maintain ${found.name}. Who does: npm owner ls ${found.name}`,
    });
  if (before.length === 1)
    throw new HubError("last-owner", {
      message: `${name} is the last to maintain ${found.name}. Add somebody first: npm owner add <user> ${found.name}`,
    });
  const { id } = await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .select("id")
    .executeTakeFirstOrThrow();
  if (id === found.owner_id)
    throw new HubError("scope-owner", {
      message: `${found.name} belongs to ${name}, who therefore stays one of its owners.`,
    });
  await database
    .deleteFrom("package_users")
    .where("package_id", "=", found.id)
    .where("user_id", "=", id)
    .execute();
  event({ type: "owner.removed", subject: found.name, detail: { user: name } });
  touch();
}
