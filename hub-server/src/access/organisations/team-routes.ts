import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { type Identity, requireIdentity } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changeOrganisation, type OrganisationChange } from "./change-organisation.ts";
import { type Organisation, requireOrganisation } from "./organisation.ts";
import { grant, revoke, teamPackages } from "./team-grants.ts";
import { joinTeam, leaveTeam, teamMembers } from "./team-members.ts";
import { createTeam, removeTeam, requireTeam, type Team, teamsOf } from "./teams.ts";

const newTeam = z.object({ name: z.string() });
const member = z.object({ user: z.string() });
const granted = z.object({ package: z.string(), permissions: z.enum(["read-only", "read-write"]) });
const revoked = z.object({ package: z.string() });

interface TeamParameters {
  readonly organisation: string;
  readonly team: string;
}

/** `npm team`, and the half of `npm access` that is about teams. pnpm takes lists of objects, npm (`format=cli`) of texts. */
export function teamRoutes(app: FastifyInstance, hub: Hub): void {
  const teams = "/-/org/:organisation/team";
  const team = "/-/team/:organisation/:team";

  app.get(teams, async (request) => {
    const { organisation } = await seen(request);
    const names = await teamsOf(hub.database, organisation.id);
    return isForNpm(request)
      ? names.map((name) => `${organisation.name}:${name}`)
      : names.map((name) => ({ name }));
  });

  app.put(teams, { schema: { body: newTeam } }, async (request, reply) => {
    const { name } = request.body as z.output<typeof newTeam>;
    await changed(request, (change) => createTeam(change, name));
    return await reply.code(201).send({ name });
  });

  app.delete(team, async (request, reply) => {
    await changed(request, (change, { team }) => removeTeam(change, team));
    return await reply.code(204).send();
  });

  app.get(`${team}/user`, async (request) => {
    const names = await teamMembers(hub.database, (await seenTeam(request)).id);
    return isForNpm(request) ? names : names.map((name) => ({ name }));
  });

  app.put(`${team}/user`, { schema: { body: member } }, async (request, reply) => {
    const { user } = request.body as z.output<typeof member>;
    await changed(request, (change, { team }) => joinTeam(change, { team, user }));
    return await reply.code(201).send({ user });
  });

  app.delete(`${team}/user`, { schema: { body: member } }, async (request, reply) => {
    const { user } = request.body as z.output<typeof member>;
    await changed(request, (change, { team }) => leaveTeam(change, { team, user }));
    return await reply.code(204).send();
  });

  app.get(`${team}/package`, async (request) => {
    const { id: teamId, identity } = await seenTeam(request);
    return await teamPackages(hub.database, { teamId, identity });
  });

  app.put(`${team}/package`, { schema: { body: granted } }, async (request, reply) => {
    const { package: name, permissions } = request.body as z.output<typeof granted>;
    const permission = permissions === "read-only" ? "read" : "write";
    await changed(request, (change, { team }) =>
      grant(change, { team, package: name, permission }),
    );
    return await reply.code(201).send({ package: name, permissions });
  });

  app.delete(`${team}/package`, { schema: { body: revoked } }, async (request, reply) => {
    const { package: name } = request.body as z.output<typeof revoked>;
    await changed(request, (change, { team }) => revoke(change, { team, package: name }));
    return await reply.code(204).send();
  });

  async function seen(request: FastifyRequest): Promise<{
    readonly identity: Identity;
    readonly organisation: Organisation;
  }> {
    const identity = await requireIdentity(hub, request);
    const { organisation: name } = request.params as TeamParameters;
    const asked = { identity, name, wanted: "developer" } as const;
    return { identity, organisation: await requireOrganisation(hub.database, asked) };
  }

  async function seenTeam(
    request: FastifyRequest,
  ): Promise<Team & { readonly identity: Identity }> {
    const { identity, organisation } = await seen(request);
    const { team } = request.params as TeamParameters;
    return { ...(await requireTeam(hub.database, { organisation, team })), identity };
  }

  async function changed(
    request: FastifyRequest,
    work: (change: OrganisationChange, parameters: TeamParameters) => Promise<void>,
  ): Promise<void> {
    const parameters = request.params as TeamParameters;
    await changeOrganisation(hub, request, {
      name: parameters.organisation,
      wanted: "admin",
      work: (change) => work(change, parameters),
    });
  }
}

function isForNpm({ query }: FastifyRequest): boolean {
  return (query as { readonly format?: unknown }).format === "cli";
}
