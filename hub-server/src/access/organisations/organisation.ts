import type { Identity } from "../../identity/request/identity.ts";
import { rejectLimited } from "../../identity/request/manager.ts";
import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";

/** What a member may do: `developer` publishes, `admin` manages teams and packages as well, `owner` members too. */
export type Role = Row<"memberships">["role"];

/** An organisation, and what whoever asks is in it. */
export interface Organisation {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Null for an administrator of the hub who is no member. */
  readonly role: Role | null;
}

const order: readonly Role[] = ["developer", "admin", "owner"];

/** The organisation of a name, if an identity has this role in it, or a higher one. Administrators of the hub may do all. */
export async function requireOrganisation(
  database: Database,
  {
    identity,
    name,
    wanted,
  }: { readonly identity: Identity; readonly name: string; readonly wanted: Role },
): Promise<Organisation> {
  const found = await database
    .selectFrom("accounts")
    .leftJoin("memberships", (join) =>
      join
        .onRef("memberships.organisation_id", "=", "accounts.id")
        .on("memberships.user_id", "=", identity.userId),
    )
    .where("accounts.name", "=", name)
    .where("accounts.kind", "=", "organisation")
    .select(["accounts.id", "accounts.name", "accounts.created_at as createdAt"])
    .select("memberships.role")
    .executeTakeFirst();
  if (found === undefined) throw notFound(`The organisation ${name}`);
  rejectLimited(identity);
  if (identity.isAdmin) return found;
  if (found.role === null)
    throw forbidden(`Only members of ${name} may do this, and ${identity.name} is none.`);
  if (order.indexOf(found.role) < order.indexOf(wanted))
    throw forbidden(
      `${identity.name} is ${found.role} in ${name}; this takes ${wanted}. Ask an owner: npm org ls ${name}`,
    );
  return found;
}
