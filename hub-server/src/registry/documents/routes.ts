import type { FastifyInstance, FastifyRequest } from "fastify";

import {
  changePackage,
  type PackageChangeOptions,
  requireCurrentRevision,
} from "../../access/changes/change-package.ts";
import { setMaintainers } from "../../access/package-access/maintainers.ts";
import { type Package, requirePackage } from "../../access/permissions/require-package.ts";
import { requireWriter } from "../../identity/request/identity.ts";
import { deprecate } from "../../packages/lifecycle/lifecycle.ts";
import { publisherHook } from "../../packages/publish/inspect-upload.ts";
import { bodyLimitOf, limitsOf, publish } from "../../packages/publish/publish.ts";
import { setStar } from "../../packages/stars/star.ts";
import { unpublish } from "../../packages/unpublish/unpublish.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { fullForm } from "../packuments/forms.ts";
import { packageSource } from "../packuments/source.ts";
import { type DocumentChange, documentChange } from "./document-change.ts";

/** npm's `PUT /{name}`: publishes a version, or changes a package by its edited document. */
export function publishRoutes(app: FastifyInstance, hub: Hub): void {
  const { onRequest, publisherOf } = publisherHook(hub);
  packageRoute(app, "PUT /:package", {
    bodyLimit: bodyLimitOf(limitsOf(hub.settings)),
    onRequest,
    async handler(name, request, reply) {
      const { body } = request;
      if (!hasAttachments(body)) {
        const response = await changeByDocument(hub, request, { name, document: body });
        return await reply.code(201).send(response);
      }
      const [published] = await publish(hub, request, {
        identity: publisherOf(request),
        documents: [{ name, body }],
      });
      return await reply.code(201).send({ ok: true, success: true, id: name, rev: published?.rev });
    },
  });
}

/** `PUT /{name}/-rev/{rev}`: changes a package by the edited document of a revision, as `npm owner` and `npm unpublish` do. */
export function documentRevisionRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, "PUT /:package/-rev/:rev", {
    bodyLimit: bodyLimitOf(limitsOf(hub.settings)),
    onRequest: async (request) => void (await requireWriter(hub, request)),
    async handler(name, request, reply) {
      const { rev } = request.params as { readonly rev: string };
      const response = await changeByDocument(hub, request, { name, document: request.body, rev });
      return await reply.code(201).send(response);
    },
  });
}

/** An edited document can have an empty `_attachments`, because clients return the field that they received. */
function hasAttachments(body: unknown): boolean {
  const { _attachments } = (body ?? {}) as { readonly _attachments?: unknown };
  return Object.keys(_attachments ?? {}).length > 0;
}

/** A package document that a client has edited. */
interface EditedDocument {
  readonly name: string;
  readonly document: unknown;
  /** The revision in the URL, without which a document cannot omit versions. */
  readonly rev?: string | undefined;
}

/**
 * Changes a package in npm's protocol: a client reads the whole document, edits it, and sends it back. The hub derives
 * the change from the difference, and never stores the document.
 */
async function changeByDocument(
  hub: Hub,
  request: FastifyRequest,
  { name, document, rev: urlRevision }: EditedDocument,
): Promise<{ readonly ok: true; readonly id: string; readonly rev: string }> {
  const identity = await requireWriter(hub, request);
  const package_ = await requirePackage(hub.database, { identity, name, permission: "read" });
  const rev = urlRevision ?? revisionIn(document);
  const { revision, served } = await servedDocument(hub, request, package_);
  requireCurrentRevision({ ...package_, revision }, rev);
  const requested = documentChange(document, served, identity.name);
  if (requested.kind === "unpublish" && urlRevision === undefined)
    throw new HubError("document-change", {
      message: `The document omits ${requested.versions.join(", ").slice(0, 250)}. To unpublish, send it to /${name}/-rev/${rev}, or run npm unpublish.`,
    });
  if (requested.kind === "none") return { ok: true, id: name, rev };
  if (requested.kind === "star") {
    await setStar(hub, identity.userId, package_.id, requested.isStarred);
    return { ok: true, id: name, rev };
  }
  const changed = await changePackage(hub, request, { name, rev, ...operationOf(hub, requested) });
  return { ok: true, id: name, rev: changed.rev };
}

function operationOf(
  { settings }: Hub,
  requested: Exclude<DocumentChange, { readonly kind: "none" | "star" }>,
): Pick<PackageChangeOptions<void>, "permission" | "work"> {
  switch (requested.kind) {
    case "deprecate":
      return { permission: "write", work: (change) => deprecate(change, requested.messages) };
    case "owners":
      return { permission: "admin", work: (change) => setMaintainers(change, requested.names) };
    case "unpublish": {
      const { versions } = requested;
      const hours = settings.HUB_UNPUBLISH_HOURS;
      return { permission: "write", work: (change) => unpublish(change, versions, hours) };
    }
  }
}

/** The document as this client received it, including the losses of JSON. */
async function servedDocument(
  hub: Hub,
  request: FastifyRequest,
  { id, name }: Package,
): Promise<{ readonly revision: number; readonly served: unknown }> {
  const source = await packageSource(hub.database, id);
  if (source === undefined) throw notFound(name);
  const document = await fullForm.make(hub, source, originOf(hub.settings, request));
  return { revision: source.revision, served: JSON.parse(JSON.stringify(document)) as unknown };
}

function revisionIn(document: unknown): string {
  const { _rev } = (document ?? {}) as { readonly _rev?: unknown };
  if (typeof _rev === "string") return _rev;
  throw new HubError("revision-missing", {
    message:
      "The document has no _rev, which identifies the revision that it is based on. Read the document (GET with ?write=true), change it, and send it back.",
  });
}
