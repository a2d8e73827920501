import { addMember, developers } from "../../identity/accounts/add-member.ts";
import { createAccount } from "../../identity/accounts/create-account.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Change } from "../../platform/hub/change.ts";
import type { Organisation } from "./organisation.ts";

const week = 7 * 24 * 3_600_000;
/** Names are taken for ever. */
const mostPerWeek = 20;

/** Makes an organisation, which owns the scope of its name; whoever makes it is its first owner. */
export async function createOrganisation(
  { database, now, event }: Change,
  { identity, name }: { readonly identity: Identity; readonly name: string },
): Promise<Organisation> {
  if (!identity.isAdmin) await refuseMany(database, { identity, now });
  const id = await createAccount(database, { name, kind: "organisation", now });
  await database
    .insertInto("teams")
    .values({ organisation_id: id, name: developers, created_at: now })
    .execute();
  await addMember(database, { organisationId: id, userId: identity.userId, role: "owner", now });
  event({ type: "organisation.created", actor: identity.name, subject: name });
  return { id, name, createdAt: now, role: "owner" };
}

async function refuseMany(
  database: Change["database"],
  { identity, now }: { readonly identity: Identity; readonly now: Date },
): Promise<void> {
  const { count } = await database
    .selectFrom("memberships")
    .where("user_id", "=", identity.userId)
    .where("role", "=", "owner")
    .where("created_at", ">", new Date(now.getTime() - week))
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < mostPerWeek) return;
  throw new HubError("too-many-organisations", {
    message: `One user makes at most ${mostPerWeek} organisations in a week. Wait, or ask this hub's operator.`,
    headers: { "retry-after": "86400" },
  });
}
