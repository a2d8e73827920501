import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { requirePackage } from "../../access/permissions/require-package.ts";
import { requireWriter } from "../../identity/request/identity.ts";
import { setStar } from "../../packages/stars/star.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formFields, requireSessionForm } from "../layout/require-session.ts";
import { cardRoute } from "./card/card-route.ts";
import { dependenciesPage } from "./dependencies/dependencies-page.tsx";
import { filePages } from "./files/file-routes.tsx";
import { overviewPage } from "./overview/overview-page.tsx";
import { packagePath } from "./package-view.ts";
import type { Renderer } from "./render/renderer.ts";
import { securityPage } from "./security/security-page.tsx";
import { diffPage } from "./versions/diff-page.tsx";
import { versionsPage } from "./versions/versions-page.tsx";

/** Registers the pages of packages. */
export function packagePages(app: FastifyInstance, hub: Hub, renderer: Renderer): void {
  overviewPage(app, hub, renderer);
  cardRoute(app, hub);
  versionsPage(app, hub);
  diffPage(app, hub, renderer);
  filePages(app, hub, renderer);
  dependenciesPage(app, hub);
  securityPage(app, hub);
  packageRoute(app, "POST /package/:package/star", (name, request, reply) =>
    star(hub, name, { request, reply }),
  );
}

async function star(
  hub: Hub,
  name: string,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  await requireSessionForm(hub, request, reply);
  const identity = await requireWriter(hub, request);
  const { id } = await requirePackage(hub.database, { identity, name, permission: "read" });
  await setStar(hub, identity.userId, id, formFields(request, "star").star === "yes");
  return reply.redirect(packagePath(name), 303);
}
