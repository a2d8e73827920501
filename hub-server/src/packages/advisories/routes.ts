import { type Advisory, routes } from "@envs/hub-client";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { changePackage } from "../../access/changes/change-package.ts";
import { requirePackage } from "../../access/permissions/require-package.ts";
import { identify, type Identity } from "../../identity/request/identity.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { advisories, toldAdvisory } from "./advisories.ts";
import { warn, withdraw } from "./warn.ts";

/** Warnings of versions, by those who administer the package: reading, publishing, withdrawing. */
export function advisoryRoutes(app: FastifyInstance, hub: Hub): void {
  const { database, settings } = hub;
  const read = async (
    request: FastifyRequest,
    { id, identity }: { readonly id: number; readonly identity: Identity | undefined },
  ): Promise<Advisory> => {
    const [found] = await advisories(database, { identity, id });
    if (found === undefined) throw notFound(`Advisory ${id}`);
    return toldAdvisory(found, originOf(settings, request));
  };

  apiRoute(app, routes.listAdvisories, async ({ params: { name }, request }) => {
    const identity = await identify(hub, request);
    const found = await requirePackage(database, { identity, name, permission: "read" });
    const listed = await advisories(database, { identity, packageId: found.id });
    const origin = originOf(settings, request);
    return { items: listed.map((each) => toldAdvisory(each, origin)) };
  });

  apiRoute(app, routes.readAdvisory, async ({ params: { id }, request }) =>
    read(request, { id, identity: await identify(hub, request) }),
  );

  apiRoute(app, routes.publishAdvisory, async ({ params: { name }, body, request }) => {
    const { result: id } = await changePackage(hub, request, {
      name,
      wanted: "admin",
      evenIfArchived: true,
      work: (change) => warn(change, body),
    });
    return await read(request, { id, identity: await identify(hub, request) });
  });

  apiRoute(app, routes.withdrawAdvisory, async ({ params: { name, id }, request }) => {
    await changePackage(hub, request, {
      name,
      wanted: "admin",
      evenIfArchived: true,
      work: (change) => withdraw(change, id),
    });
    return await read(request, { id, identity: await identify(hub, request) });
  });
}
