import type { FastifyRequest } from "fastify";

import { type Identity, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import { change, type Change } from "../../platform/hub/change.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type Organisation, requireOrganisation, type Role } from "./organisation.ts";

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
    return await work({
      database,
      now,
      identity,
      organisation,
      event: (fields) =>
        event({ ...fields, actor: identity.name, organisationId: organisation.id }),
    });
  });
}
