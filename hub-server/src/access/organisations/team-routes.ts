import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { type Identity, requireIdentity } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import {
  changeOrganisation,
  type Organisation,
  type OrganisationChange,
  requireOrganisation,
} from "./organisation.ts";
import { grant, listTeamPackages, revoke } from "./team-grants.ts";
import { addTeamMember, listTeamMembers, removeTeamMember } from "./team-members.ts";
import { createTeam, listTeams, removeTeam, requireTeam, type Team } from "./teams.ts";

const teamBody = z.object({ name: z.string() });
const memberBody = z.object({ user: z.string() });
const grantBody = z.object({
  package: z.string(),
  permissions: z.enum(["read-only", "read-write"]),
});
const revokeBody = z.object({ package: z.string() });

interface TeamParameters {
  readonly organisation: string;
  readonly team: string;
}

/** `npm team`, and `npm access` for teams. Lists contain objects for pnpm, and strings for npm (`format=cli`). */
export function teamRoutes(app: FastifyInstance, hub: Hub): void {
  const teams = "/-/org/:organisation/team";
  const team = "/-/team/:organisation/:team";

  app.get(teams, async (request) => {
    const { organisation } = await readOrganisation(request);
    const names = await listTeams(hub.database, organisation.id);
    return isForNpm(request)
      ? names.map((name) => `${organisation.name}:${name}`)
      : names.map((name) => ({ name }));
  });

  app.put(teams, { schema: { body: teamBody } }, async (request, reply) => {
    const { name } = request.body as z.output<typeof teamBody>;
    await change(request, (change) => createTeam(change, name));
    return await reply.code(201).send({ name });
  });

  app.delete(team, async (request, reply) => {
    await change(request, (change, { team }) => removeTeam(change, team));
    return await reply.code(204).send();
  });

  app.get(`${team}/user`, async (request) => {
    const names = await listTeamMembers(hub.database, (await readTeam(request)).id);
    return isForNpm(request) ? names : names.map((name) => ({ name }));
  });

  app.put(`${team}/user`, { schema: { body: memberBody } }, async (request, reply) => {
    const { user } = request.body as z.output<typeof memberBody>;
    await change(request, (change, { team }) => addTeamMember(change, team, user));
    return await reply.code(201).send({ user });
  });

  app.delete(`${team}/user`, { schema: { body: memberBody } }, async (request, reply) => {
    const { user } = request.body as z.output<typeof memberBody>;
    await change(request, (change, { team }) => removeTeamMember(change, team, user));
    return await reply.code(204).send();
  });

  app.get(`${team}/package`, async (request) => {
    const { id, identity } = await readTeam(request);
    return await listTeamPackages(hub.database, identity, id);
  });

  app.put(`${team}/package`, { schema: { body: grantBody } }, async (request, reply) => {
    const { package: name, permissions } = request.body as z.output<typeof grantBody>;
    const permission = permissions === "read-only" ? "read" : "write";
    await change(request, (change, { team }) => grant(change, team, name, permission));
    return await reply.code(201).send({ package: name, permissions });
  });

  app.delete(`${team}/package`, { schema: { body: revokeBody } }, async (request, reply) => {
    const { package: name } = request.body as z.output<typeof revokeBody>;
    await change(request, (change, { team }) => revoke(change, team, name));
    return await reply.code(204).send();
  });

  async function readOrganisation(request: FastifyRequest): Promise<{
    readonly identity: Identity;
    readonly organisation: Organisation;
  }> {
    const identity = await requireIdentity(hub, request);
    const { organisation: name } = request.params as TeamParameters;
    const organisation = await requireOrganisation(hub.database, identity, name, "developer");
    return { identity, organisation };
  }

  async function readTeam(
    request: FastifyRequest,
  ): Promise<Team & { readonly identity: Identity }> {
    const { identity, organisation } = await readOrganisation(request);
    const { team } = request.params as TeamParameters;
    return { ...(await requireTeam(hub.database, organisation, team)), identity };
  }

  async function change(
    request: FastifyRequest,
    work: (change: OrganisationChange, parameters: TeamParameters) => Promise<void>,
  ): Promise<void> {
    const parameters = request.params as TeamParameters;
    await changeOrganisation(hub, request, {
      name: parameters.organisation,
      role: "admin",
      work: (change) => work(change, parameters),
    });
  }
}

function isForNpm({ query }: FastifyRequest): boolean {
  return (query as { readonly format?: unknown }).format === "cli";
}
