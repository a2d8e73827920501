import type { FastifyInstance, FastifyRequest } from "fastify";

import { answerOf } from "../../access/changes/answer.ts";
import { changePackage } from "../../access/changes/change-package.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { removeTag } from "./remove-tag.ts";
import { setTag } from "./set-tag.ts";

/** `npm dist-tag add` and `rm`. */
export function tagRoutes(app: FastifyInstance, hub: Hub): void {
  const path = { before: "/-/package/", after: "/dist-tags/:tag" };
  packageRoute(app, {
    ...path,
    method: ["PUT", "POST"],
    async handler(name, request, reply) {
      const version = versionIn(request);
      const changed = await changePackage(hub, request, {
        name,
        wanted: "publish",
        work: (change) => setTag(change, { tag: tagIn(request), version }),
      });
      return await reply.code(201).send(answerOf(name, changed));
    },
  });
  packageRoute(app, {
    ...path,
    method: "DELETE",
    async handler(name, request) {
      const changed = await changePackage(hub, request, {
        name,
        wanted: "publish",
        work: (change) => removeTag(change, tagIn(request)),
      });
      return answerOf(name, changed);
    },
  });
}

function tagIn({ params }: FastifyRequest): string {
  return (params as { readonly tag: string }).tag;
}

function versionIn({ body }: FastifyRequest): string {
  if (typeof body === "string") return body;
  throw new HubError("version-missing", {
    message: 'The body of this request is a version as a JSON string: "1.2.3".',
  });
}
