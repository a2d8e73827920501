import type { FastifyInstance, FastifyRequest } from "fastify";

import { changePackage } from "../../access/changes/change-package.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { removeTag, setTag } from "./tags.ts";

/** `npm dist-tag add` and `npm dist-tag rm`. */
export function tagRoutes(app: FastifyInstance, hub: Hub): void {
  const path = "/-/package/:package/dist-tags/:tag";
  packageRoute(app, `PUT,POST ${path}`, async (name, request, reply) => {
    const version = versionIn(request);
    const { rev } = await changePackage(hub, request, {
      name,
      permission: "publish",
      work: (change) => setTag(change, tagIn(request), version),
    });
    return await reply.code(201).send({ ok: true, id: name, rev });
  });
  packageRoute(app, `DELETE ${path}`, async (name, request) => {
    const { rev } = await changePackage(hub, request, {
      name,
      permission: "publish",
      work: (change) => removeTag(change, tagIn(request)),
    });
    return { ok: true, id: name, rev };
  });
}

function tagIn({ params }: FastifyRequest): string {
  return (params as { readonly tag: string }).tag;
}

function versionIn({ body }: FastifyRequest): string {
  if (typeof body === "string") return body;
  throw new HubError("version-missing", {
    message:
      'The request body does not contain a version. Send the version as a JSON string, such as "1.2.3".',
  });
}
