import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { requireIdentity } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { listMembers, removeMember, setMember } from "./members.ts";
import { changeOrganisation, requireOrganisation } from "./organisation.ts";

const path = "/-/org/:organisation/user";

const setBody = z.object({
  user: z.string(),
  role: z.enum(["owner", "admin", "developer"]).optional(),
});
const removeBody = z.object({ user: z.string() });

/** `npm org`: the members of an organisation. */
export function organisationRoutes(app: FastifyInstance, hub: Hub): void {
  app.get(path, async (request) => {
    const identity = await requireIdentity(hub, request);
    const name = organisationIn(request);
    const { id } = await requireOrganisation(hub.database, identity, name, "developer");
    const members = await listMembers(hub.database, id);
    return Object.fromEntries(members.map((member) => [member.name, member.role]));
  });

  app.put(path, { schema: { body: setBody } }, async (request) => {
    const { user, role } = request.body as z.output<typeof setBody>;
    const name = organisationIn(request);
    return await changeOrganisation(hub, request, {
      name,
      role: "owner",
      async work(change) {
        const newRole = await setMember(change, user, role);
        const { length: size } = await listMembers(change.database, change.organisation.id);
        return { org: { name, size }, user, role: newRole };
      },
    });
  });

  app.delete(path, { schema: { body: removeBody } }, async (request, reply) => {
    const { user } = request.body as z.output<typeof removeBody>;
    const { name: caller } = await requireIdentity(hub, request);
    await changeOrganisation(hub, request, {
      name: organisationIn(request),
      // Every member may leave.
      role: user === caller ? "developer" : "owner",
      work: (change) => removeMember(change, user),
    });
    return await reply.code(204).send();
  });
}

function organisationIn({ params }: FastifyRequest): string {
  return (params as { readonly organisation: string }).organisation;
}
