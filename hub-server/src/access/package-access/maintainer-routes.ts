import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { readBody } from "../../platform/http/json-body.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changePackage } from "../changes/change-package.ts";
import { addMaintainer, removeMaintainer } from "./maintainers.ts";

const addBody = z.object({ user: z.string() });

/** `pnpm owner add` and `pnpm owner rm`. npm sends a package document instead. */
export function maintainerRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, "PUT /-/package/:package/owners", async (name, request) => {
    const { user } = readBody(request, addBody);
    const { rev } = await changePackage(hub, request, {
      name,
      permission: "admin",
      work: (change) => addMaintainer(change, user),
    });
    return { ok: true, id: name, rev };
  });
  packageRoute(app, "DELETE /-/package/:package/owners/:user", async (name, request) => {
    const { user } = request.params as { readonly user: string };
    const { rev } = await changePackage(hub, request, {
      name,
      permission: "admin",
      work: (change) => removeMaintainer(change, user),
    });
    return { ok: true, id: name, rev };
  });
}
