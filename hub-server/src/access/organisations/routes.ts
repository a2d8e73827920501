import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { requireIdentity } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changeOrganisation } from "./change-organisation.ts";
import { membersOf, removeMember, setMember } from "./members.ts";
import { requireOrganisation } from "./organisation.ts";

const path = "/-/org/:organisation/user";

const set = z.object({
  user: z.string(),
  role: z.enum(["owner", "admin", "developer"]).optional(),
});
const remove = z.object({ user: z.string() });

/** `npm org`: who is in an organisation. */
export function organisationRoutes(app: FastifyInstance, hub: Hub): void {
  app.get(path, async (request) => {
    const identity = await requireIdentity(hub, request);
    const name = organisationIn(request);
    const { id } = await requireOrganisation(hub.database, { identity, name, wanted: "developer" });
    const members = await membersOf(hub.database, id);
    return Object.fromEntries(members.map((member) => [member.name, member.role]));
  });

  app.put(path, { schema: { body: set } }, async (request) => {
    const { user, role } = request.body as z.output<typeof set>;
    const name = organisationIn(request);
    return await changeOrganisation(hub, request, {
      name,
      wanted: "owner",
      async work(change) {
        const given = await setMember(change, { user, ...(role !== undefined && { role }) });
        const { length: size } = await membersOf(change.database, change.organisation.id);
        return { org: { name, size }, user, role: given };
      },
    });
  });

  app.delete(path, { schema: { body: remove } }, async (request, reply) => {
    const { user } = request.body as z.output<typeof remove>;
    const { name: self } = await requireIdentity(hub, request);
    await changeOrganisation(hub, request, {
      name: organisationIn(request),
      // Whoever wants may leave.
      wanted: user === self ? "developer" : "owner",
      work: (change) => removeMember(change, user),
    });
    return await reply.code(204).send();
  });
}

function organisationIn({ params }: FastifyRequest): string {
  return (params as { readonly organisation: string }).organisation;
}
