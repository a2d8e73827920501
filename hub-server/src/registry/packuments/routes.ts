import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { installablePackage } from "../../access/permissions/require-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { upstreamOf } from "../../upstream/find-upstream.ts";
import { sendRepresentation } from "../responses/conditional-response.ts";
import {
  type Encoding,
  negotiate,
  represent,
  type Representation,
} from "../responses/representation.ts";
import { responseCache } from "../responses/response-cache.ts";
import { abbreviatedForm, type DocumentForm, fullForm, tagsForm, versionForm } from "./forms.ts";
import { packageSource } from "./source.ts";
import { representUpstream } from "./upstream-response.ts";

const maxBytes = 64 * 2 ** 20;

/** Routes that serve packuments, single versions and dist-tags. */
export function packumentRoutes(app: FastifyInstance, hub: Hub): void {
  const cache = responseCache<Representation>({ maxBytes, bytesOf: ({ body }) => body.length });
  hub.onInvalidate(cache.invalidate);

  packageRoute(app, "GET,HEAD /:package", (name, request, reply) => {
    if (isForEditing(request)) return serveFresh(name, request, reply);
    const { form } = negotiate(request.headers);
    // Browsers that open the registry address of a package are redirected to its page.
    if (form === "page") return reply.header("vary", "Accept").redirect(`/package/${name}`, 302);
    return serve(form === "full" ? fullForm : abbreviatedForm, { name, request, reply });
  });
  packageRoute(app, "GET,HEAD /:package/:version", (name, request, reply) => {
    // `/-/…` is not a package. No other route has matched the URL.
    if (name === "-") return reply.callNotFound();
    const { version } = request.params as { readonly version: string };
    return serve(versionForm(version), { name, request, reply });
  });
  packageRoute(app, "GET,HEAD /-/package/:package/dist-tags", (name, request, reply) =>
    serve(tagsForm, { name, request, reply }),
  );

  /** Sends a cached response of a public package without a database query. */
  function serve(form: DocumentForm, target: ServeTarget): FastifyReply | Promise<FastifyReply> {
    const { name, request, reply } = target;
    const origin = originOf(hub.settings, request);
    const { encoding } = negotiate(request.headers);
    const variant = `${form.key} ${encoding} ${origin}`;
    const cached = cache.peek(name, variant);
    if (cached?.isPublic === true) return sendRepresentation(request, reply, cached);
    return load(form, target, { origin, encoding, variant }).then((representation) =>
      sendRepresentation(request, reply, representation),
    );
  }

  async function load(
    form: DocumentForm,
    { name, request }: ServeTarget,
    { origin, encoding, variant }: Variant,
  ): Promise<Representation> {
    const upstream = await upstreamOf(hub, request, name);
    if (upstream !== undefined)
      return await cache.get({ name, variant }, () =>
        representUpstream(hub, { upstream, name, form, origin, encoding }),
      );
    const { id } = await installablePackage(hub, request, name);
    return await cache.get({ name, variant }, async () => {
      const source = await requireSource(id, name);
      const document = await form.make(hub, source, origin);
      return await represent({ document, type: form.type, encoding, source });
    });
  }

  /** Bypasses the cache for clients that edit the document and need its current revision. */
  async function serveFresh(
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { id } = await installablePackage(hub, request, name);
    const source = await requireSource(id, name);
    const document = await fullForm.make(hub, source, originOf(hub.settings, request));
    return reply.header("cache-control", "no-store").send(document);
  }

  async function requireSource(id: number, name: string) {
    const source = await packageSource(hub.database, id);
    // A package without versions only reserves its name.
    if (source === undefined || source.versions.length === 0) throw notFound(name);
    return source;
  }
}

interface ServeTarget {
  readonly name: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The origin and encoding of a response, and its key in the cache. */
interface Variant {
  readonly origin: string;
  readonly encoding: Encoding;
  readonly variant: string;
}

function isForEditing({ query }: FastifyRequest): boolean {
  return (query as { readonly write?: unknown }).write === "true";
}
