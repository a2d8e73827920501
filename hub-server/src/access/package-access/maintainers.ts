import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { PackageChange } from "../changes/change-package.ts";
import type { Package } from "../permissions/require-package.ts";

/** The names of a package's maintainers, sorted. */
export async function listMaintainers({
  database,
  package: { id },
}: {
  readonly database: Database;
  readonly package: Pick<Package, "id">;
}): Promise<string[]> {
  const rows = await database
    .selectFrom("package_users")
    .innerJoin("accounts", "accounts.id", "package_users.user_id")
    .where("package_users.package_id", "=", id)
    .where("package_users.is_maintainer", "=", true)
    .select("accounts.name")
    .orderBy("accounts.name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Makes exactly these users the maintainers of a package. */
export async function setMaintainers(
  change: PackageChange,
  userNames: readonly string[],
): Promise<void> {
  const current = await listMaintainers(change);
  const next = new Set(userNames);
  for (const userName of next)
    if (!current.includes(userName)) await addMaintainer(change, userName);
  for (const userName of current) if (!next.has(userName)) await removeMaintainer(change, userName);
}

/** Adds a maintainer. Maintainers may write to the package, and `npm owner ls` lists them. */
export async function addMaintainer(change: PackageChange, userName: string): Promise<void> {
  const {
    database,
    package: { id, name },
    event,
    touch,
  } = change;
  const user = await database
    .selectFrom("accounts")
    .innerJoin("users", "users.account_id", "accounts.id")
    .where("accounts.name", "=", userName)
    .where("users.disabled_at", "is", null)
    .select("accounts.id")
    .executeTakeFirst();
  if (user === undefined)
    throw new HubError("user-not-found", {
      message: `The user ${JSON.stringify(userName.slice(0, 250))} is not on this hub and cannot become a maintainer of ${name}. Correct the name, or invite the user.`,
    });
  if ((await listMaintainers(change)).includes(userName)) return;
  await database
    .insertInto("package_users")
    .values({ package_id: id, user_id: user.id, permission: "write", is_maintainer: true })
    .onConflict((conflict) =>
      conflict
        .columns(["package_id", "user_id"])
        .doUpdateSet({ permission: "write", is_maintainer: true }),
    )
    .execute();
  event({ type: "owner.added", subject: name, detail: { user: userName } });
  touch();
}

/** Removes a maintainer, except the last one and the user whose scope the package is in. */
export async function removeMaintainer(change: PackageChange, userName: string): Promise<void> {
  const { database, package: package_, event, touch } = change;
  const { id, name } = package_;
  const current = await listMaintainers(change);
  if (!current.includes(userName))
    throw new HubError("owner-not-found", {
      message: `${JSON.stringify(userName.slice(0, 250))} is not a maintainer of ${name}. List the maintainers: npm owner ls ${name}`,
    });
  if (current.length === 1)
    throw new HubError("last-owner", {
      message: `${userName} is the last maintainer of ${name}. First add another: npm owner add <user> ${name}`,
    });
  const user = await database
    .selectFrom("accounts")
    .where("name", "=", userName)
    .select("id")
    .executeTakeFirstOrThrow();
  if (user.id === package_.owner_id)
    throw new HubError("scope-owner", {
      message: `${userName} cannot be removed from ${name}, because the package is in the user's own scope. Remove other maintainers, or archive the package: envs hub archive ${name}`,
    });
  await database
    .deleteFrom("package_users")
    .where("package_id", "=", id)
    .where("user_id", "=", user.id)
    .execute();
  event({ type: "owner.removed", subject: name, detail: { user: userName } });
  touch();
}
