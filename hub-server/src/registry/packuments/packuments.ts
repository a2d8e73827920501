import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { answerCache } from "../answers/answer-cache.ts";
import { answer } from "../answers/answer.ts";
import { wishOf } from "../answers/negotiation.ts";
import { represent, type Representation } from "../answers/representation.ts";
import { abbreviated, full, type Kind, oneVersion, tags } from "./kinds.ts";
import { packageSource } from "./source.ts";

const maxBytes = 64 * 2 ** 20;
const method = ["GET" as const, "HEAD" as const];

/** Routes that read what there is to know of a package. */
export function packumentRoutes(app: FastifyInstance, hub: Hub): void {
  const kept = answerCache<Representation>({ maxBytes, bytesOf: ({ body }) => body.length });
  hub.onInvalidate(kept.invalidate);

  packageRoute(app, {
    method,
    handler(name, request, reply) {
      if (isToBeWritten(request)) return serveFresh(name, request, reply);
      const { form } = wishOf(request.headers);
      return serve(form === "full" ? full : abbreviated, { name, request, reply });
    },
  });
  packageRoute(app, {
    method,
    after: "/:version",
    handler(name, request, reply) {
      // `/-/…` is no package's: no route has taken it, so there is none.
      if (name === "-") return reply.callNotFound();
      const { version } = request.params as { readonly version: string };
      return serve(oneVersion(version), { name, request, reply });
    },
  });
  packageRoute(app, {
    method,
    before: "/-/package/",
    after: "/dist-tags",
    handler: (name, request, reply) => serve(tags, { name, request, reply }),
  });

  /** What is public and ready goes out without a question to the database. */
  function serve(kind: Kind, asked: Asked): FastifyReply | Promise<FastifyReply> {
    const { name, request, reply } = asked;
    const origin = originOf(hub.settings, request);
    const { encoding } = wishOf(request.headers);
    const key = `${kind.key} ${encoding} ${origin}`;
    const ready = kept.ready(name, key);
    if (ready?.isPublic === true) return answer(request, reply, ready);
    return readablePackage(hub, request, name)
      .then(({ id }) =>
        kept.get({ name, key }, async () => {
          const source = await present(id, name);
          const document = await kind.make(hub, source, origin);
          return await represent({ document, type: kind.type, encoding, source });
        }),
      )
      .then((made) => answer(request, reply, made));
  }

  /** For who is about to change the package: its state and revision of this moment. */
  async function serveFresh(
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { id } = await readablePackage(hub, request, name);
    const source = await present(id, name);
    const document = await full.make(hub, source, originOf(hub.settings, request));
    return reply.header("cache-control", "no-store").send(document);
  }

  async function present(id: number, name: string) {
    const source = await packageSource(hub.database, id);
    // Of a package whose every version was unpublished, only the name is left.
    if (source === undefined || source.versions.length === 0) throw notFound(name);
    return source;
  }
}

interface Asked {
  readonly name: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function isToBeWritten({ query }: FastifyRequest): boolean {
  return (query as { readonly write?: unknown }).write === "true";
}
