import type { FastifyRequest } from "fastify";

import { type Identity, requireWriter } from "../../identity/request/identity.ts";
import { rejectLimited } from "../../identity/request/manager.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import { change, type Change, type Hub } from "../../platform/hub/hub.ts";

/** An authorized change of an organisation's members, teams or grants, in a transaction that locks the organisation. */
export interface OrganisationChange {
  readonly database: Change["database"];
  readonly now: Date;
  readonly identity: Identity;
  readonly organisation: Organisation;
  /** Appends an event to the log. The actor and the organisation are filled in. */
  readonly event: (event: Pick<HubEvent, "type" | "detail" | "subject" | "packageId">) => void;
}

interface OrganisationChangeOptions<Result> {
  readonly name: string;
  /** The lowest role that may make the change. */
  readonly role: Role;
  readonly work: (change: OrganisationChange) => Promise<Result>;
}

/** Changes an organisation for a request, after it has checked the caller's role and second factor. */
export async function changeOrganisation<Result>(
  hub: Hub,
  request: FastifyRequest,
  { name, role, work }: OrganisationChangeOptions<Result>,
): Promise<Result> {
  const identity = await requireWriter(hub, request);
  await requireOrganisation(hub.database, identity, name, role);
  await requireSecondFactor(hub, request, identity);
  return await change(hub, async ({ database, now, event }) => {
    await database
      .selectFrom("accounts")
      .where("name", "=", name)
      .select("id")
      .forUpdate()
      .execute();
    // A concurrent change may have taken the caller's role, so check it again under the lock.
    const organisation = await requireOrganisation(database, identity, name, role);
    const mark = hasRole({ isAdmin: false }, organisation, role) ? {} : { byAdministrator: true };
    return await work({
      database,
      now,
      identity,
      organisation,
      event: ({ detail, ...fields }) =>
        event({
          ...fields,
          detail: { ...detail, ...mark },
          actor: identity.name,
          organisationId: organisation.id,
        }),
    });
  });
}

/** Developers publish; admins also manage teams and packages; owners also manage members. */
export type Role = Row<"memberships">["role"];

export interface Organisation {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** The caller's role. Null if the caller is not a member. */
  readonly role: Role | null;
}

/** Each role includes those before it. */
const roles: readonly Role[] = ["developer", "admin", "owner"];

/** Finds an organisation, with the role of the identity's user in it. */
export async function findOrganisation(
  database: Database,
  identity: Identity | undefined,
  name: string,
): Promise<Organisation | undefined> {
  return await database
    .selectFrom("accounts")
    .leftJoin("memberships", (join) =>
      join
        .onRef("memberships.organisation_id", "=", "accounts.id")
        .on("memberships.user_id", "=", identity?.userId ?? null),
    )
    .where("accounts.name", "=", name)
    .where("accounts.kind", "=", "organisation")
    .select(["accounts.id", "accounts.name", "accounts.created_at as createdAt"])
    .select("memberships.role")
    .executeTakeFirst();
}

/** Whether the user has a role or a higher one. Administrators of the hub have every role. */
export function hasRole(
  identity: Pick<Identity, "isAdmin">,
  { role }: Pick<Organisation, "role">,
  required: Role,
): boolean {
  return identity.isAdmin || (role !== null && roles.indexOf(role) >= roles.indexOf(required));
}

/** Returns an organisation if the identity has this role or a higher one, or is an administrator of the hub. */
export async function requireOrganisation(
  database: Database,
  identity: Identity,
  name: string,
  role: Role,
): Promise<Organisation> {
  const organisation = await findOrganisation(database, identity, name);
  if (organisation === undefined) throw notFound(`The organisation ${name}`);
  rejectLimited(identity);
  if (hasRole(identity, organisation, role)) return organisation;
  if (organisation.role === null)
    throw forbidden(
      `${identity.name} is not a member of ${name}. Ask one of its owners to add you: npm org set ${name} ${identity.name}`,
    );
  throw forbidden(
    `This action needs the role ${role} in ${name}, and ${identity.name} has the role ${organisation.role}. Ask an owner: npm org ls ${name}`,
  );
}
