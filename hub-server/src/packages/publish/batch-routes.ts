import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { readBody } from "../../platform/http/json-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { publisherHook } from "./inspect-upload.ts";
import { bodyLimitOf, limitsOf, publish } from "./publish.ts";

/** The maximum number of packages in a request, whose tarballs are all in memory at once. */
const maxPackages = 100;
/** The maximum size of the body, in packages of maximum size. */
const maxLargestPackages = 4;

const batch = z.object({
  packages: z
    .array(z.looseObject({ name: z.string() }))
    .min(1)
    .max(maxPackages),
});

/** `pnpm --recursive publish --batch`: publishes all packages of a workspace, or none. */
export function batchRoutes(app: FastifyInstance, hub: Hub): void {
  const { onRequest, publisherOf } = publisherHook(hub);
  app.route({
    method: "PUT",
    url: "/-/pnpr/v0/publish",
    bodyLimit: maxLargestPackages * bodyLimitOf(limitsOf(hub.settings)),
    onRequest,
    async handler(request, reply) {
      const { packages } = readBody(request, batch);
      const published = await publish(hub, request, {
        identity: publisherOf(request),
        documents: packages.map((body) => ({ name: body.name, body })),
      });
      return await reply.code(201).send({ ok: true, success: true, published });
    },
  });
}
