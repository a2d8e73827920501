import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { answerOf } from "../changes/answer.ts";
import { changePackage } from "../changes/change-package.ts";
import { packageRoute } from "../http/package-route.ts";
import { readBody } from "../http/read-body.ts";
import type { Hub } from "../hub.ts";
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
