import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { packageRoute } from "../../platform/http/package-route.ts";
import { readBody } from "../../platform/http/read-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { answerOf } from "../changes/answer.ts";
import { changePackage } from "../changes/change-package.ts";
import { addOwner, removeOwner } from "./owners.ts";

const addition = z.object({ user: z.string() });

/** `pnpm owner add` and `rm`; npm sends a document instead. */
export function ownerRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, {
    method: "PUT",
    before: "/-/package/",
    after: "/owners",
    async handler(name, request) {
      const { user } = readBody(request, addition);
      const changed = await changePackage(hub, request, {
        name,
        wanted: "admin",
        work: (change) => addOwner(change, user),
      });
      return answerOf(name, changed);
    },
  });
  packageRoute(app, {
    method: "DELETE",
    before: "/-/package/",
    after: "/owners/:user",
    async handler(name, request) {
      const { user } = request.params as { readonly user: string };
      const changed = await changePackage(hub, request, {
        name,
        wanted: "admin",
        work: (change) => removeOwner(change, user),
      });
      return answerOf(name, changed);
    },
  });
}
