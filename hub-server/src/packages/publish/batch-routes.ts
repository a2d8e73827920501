import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { publishingRight } from "../../access/permissions/publishing-right.ts";
import { requirePublisher } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import { readBody } from "../../platform/http/read-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { publishDocument } from "./document.ts";
import { bodyLimitOf, limitsOf } from "./limits.ts";
import { type Publication, publishVersions } from "./publish.ts";
import { type Added, addedBy, requireQuota } from "./quota.ts";
import { verifyPublish } from "./verify.ts";

/** Packages of one request; their tarballs are in memory together. */
const most = 100;
/** How many of the largest tarballs one request may bring. */
const largest = 4;

const batch = z.object({
  packages: z
    .array(z.looseObject({ name: z.string() }))
    .min(1)
    .max(most),
});

/** `pnpm --recursive publish --batch`: the packages of a workspace, all of them or none. */
export function batchRoutes(app: FastifyInstance, hub: Hub): void {
  const limits = limitsOf(hub.settings);
  for (const url of ["/-/pnpr/v0/publish", "/-/pnpm/v1/publish"])
    app.route({
      method: "PUT",
      url,
      bodyLimit: largest * bodyLimitOf(limits),
      onRequest: async (request) => void (await requirePublisher(hub, request)),
      async handler(request, reply) {
        const published = await publishVersions(hub, await publicationsOf(request));
        return await reply.code(201).send({ ok: true, success: true, published });
      },
    });

  async function publicationsOf(request: FastifyRequest): Promise<readonly Publication[]> {
    const actor = await requirePublisher(hub, request);
    const publications: Publication[] = [];
    const added: Added[] = [];
    for (const document of readBody(request, batch).packages) {
      const { name } = document;
      const right = await publishingRight(hub.database, { identity: actor, name });
      await requireSecondFactorFor(hub, request, { identity: actor, found: right.existing });
      const asked = publishDocument(document, name, limits);
      added.push(addedBy(right, asked));
      await requireQuota(hub.database, hub.settings, added);
      const verified = await verifyPublish(asked, limits);
      publications.push({ actor, right, verified });
    }
    return publications;
  }
}
