import { type Advisory, routes } from "@envs/hub-client";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { changePackage } from "../../access/changes/change-package.ts";
import { requirePackage } from "../../access/permissions/require-package.ts";
import { identify } from "../../identity/request/identity.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { advisoryResponse, findAdvisories } from "./advisories.ts";
import { publishAdvisory, withdrawAdvisory } from "./publish-advisory.ts";

/** Routes to list, read, publish and withdraw the security advisories of a package. */
export function advisoryRoutes(app: FastifyInstance, hub: Hub): void {
  const { database, settings } = hub;
  const read = async (request: FastifyRequest, id: number): Promise<Advisory> => {
    const identity = await identify(hub, request);
    const [advisory] = await findAdvisories(database, identity, { id });
    if (advisory === undefined) throw notFound(`Advisory ${id}`);
    return advisoryResponse(advisory, originOf(settings, request));
  };

  apiRoute(app, routes.listAdvisories, async ({ params: { name }, request }) => {
    const identity = await identify(hub, request);
    const { id: packageId } = await requirePackage(database, {
      identity,
      name,
      permission: "read",
    });
    const advisories = await findAdvisories(database, identity, { packageId });
    const origin = originOf(settings, request);
    return { items: advisories.map((advisory) => advisoryResponse(advisory, origin)) };
  });

  apiRoute(app, routes.readAdvisory, async ({ params: { id }, request }) => read(request, id));

  apiRoute(app, routes.publishAdvisory, async ({ params: { name }, body, request }) => {
    const { result: id } = await changePackage(hub, request, {
      name,
      permission: "admin",
      evenIfArchived: true,
      work: (change) => publishAdvisory(change, body),
    });
    return await read(request, id);
  });

  apiRoute(app, routes.withdrawAdvisory, async ({ params: { name, id }, request }) => {
    await changePackage(hub, request, {
      name,
      permission: "admin",
      evenIfArchived: true,
      work: (change) => withdrawAdvisory(change, id),
    });
    return await read(request, id);
  });
}
