import type { FastifyRequest } from "fastify";

import { type Identity, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import { change, type Change } from "../../platform/hub/change.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type Organisation, requireOrganisation, type Role } from "./organisation.ts";

/** A change of what is inside an organisation, by somebody who may make it, while nobody else changes it. */
export interface OrganisationChange {
  readonly database: Change["database"];
  readonly now: Date;
  readonly identity: Identity;
  readonly organisation: Organisation;
  readonly event: (event: Pick<HubEvent, "type" | "detail" | "subject" | "packageId">) => void;
}

/** Changes an organisation for a request: asks who it is, whether they may, and for a second factor where one is due. */
export async function changeOrganisation<Result>(
  hub: Hub,
  request: FastifyRequest,
  {
    name,
    wanted,
    work,
  }: {
    readonly name: string;
    readonly wanted: Role;
    readonly work: (change: OrganisationChange) => Promise<Result>;
  },
): Promise<Result> {
  const identity = await requireWriter(hub, request);
  await requireOrganisation(hub.database, { identity, name, wanted });
  await requireSecondFactor(hub, request, identity);
  return await change(hub, async ({ database, now, event }) => {
    await database
      .selectFrom("accounts")
      .where("name", "=", name)
      .select("id")
      .forUpdate()
      .execute();
    // Asked again: meanwhile somebody may have changed who may.
    const organisation = await requireOrganisation(database, { identity, name, wanted });
    const tell: OrganisationChange["event"] = (said) =>
      event({ ...said, actor: identity.name, organisationId: organisation.id });
    return await work({ database, now, identity, organisation, event: tell });
  });
}
