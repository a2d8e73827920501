import type { FastifyRequest } from "fastify";

import { changePackage, type PackageChangeOptions } from "../../access/changes/change-package.ts";
import { requireCurrentRevision } from "../../access/changes/revision.ts";
import { setMaintainers } from "../../access/package-access/maintainers.ts";
import { type Package, requirePackage } from "../../access/permissions/require-package.ts";
import { requireWriter } from "../../identity/request/identity.ts";
import { deprecate } from "../../packages/lifecycle/lifecycle.ts";
import { setStar } from "../../packages/stars/star.ts";
import { unpublish } from "../../packages/unpublish/unpublish.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { full } from "../packuments/kinds.ts";
import { packageSource } from "../packuments/source.ts";
import { type Intention, intentionOf } from "./intention.ts";

/** A package's document as a client sends it back. */
export interface SentDocument {
  readonly name: string;
  readonly document: unknown;
  /** The revision in the address, where the client may leave versions out. */
  readonly rev?: string;
}

/**
 * Changes a package as npm's clients ask for it: they read the whole document, change it, and send it back. What they want
 * is read from the difference; the document itself is never stored.
 */
export async function changeByDocument(
  hub: Hub,
  request: FastifyRequest,
  { name, document, rev: addressed }: SentDocument,
): Promise<{ readonly ok: true; readonly id: string; readonly rev: string }> {
  const identity = await requireWriter(hub, request);
  const found = await requirePackage(hub.database, { identity, name, permission: "read" });
  const rev = addressed ?? revisionIn(document);
  const { revision, served } = await servedDocument(hub, request, found);
  requireCurrentRevision({ ...found, revision }, rev);
  const intention = intentionOf(document, served, { user: identity.name });
  if (intention.kind === "unpublish" && addressed === undefined)
    throw new HubError("document-change", {
      message: `The document leaves out ${intention.versions.join(", ").slice(0, 250)}. To unpublish, send it to /${name}/-rev/${rev}, as npm unpublish does.`,
    });
  if (intention.kind === "none") return { ok: true, id: name, rev };
  if (intention.kind === "star") {
    await setStar(hub, identity.userId, found.id, intention.isStarred);
    return { ok: true, id: name, rev };
  }
  const changed = await changePackage(hub, request, { name, rev, ...doing(hub, intention) });
  return { ok: true, id: name, rev: changed.rev };
}

function doing(
  { settings }: Hub,
  intention: Exclude<Intention, { readonly kind: "none" | "star" }>,
): Pick<PackageChangeOptions<void>, "permission" | "work"> {
  switch (intention.kind) {
    case "deprecate":
      return { permission: "write", work: (change) => deprecate(change, intention.messages) };
    case "owners":
      return { permission: "admin", work: (change) => setMaintainers(change, intention.names) };
    case "unpublish": {
      const { versions } = intention;
      const hours = settings.HUB_UNPUBLISH_HOURS;
      return { permission: "write", work: (change) => unpublish(change, versions, hours) };
    }
  }
}

/** The document as this client has read it, down to what JSON leaves of it. */
async function servedDocument(
  hub: Hub,
  request: FastifyRequest,
  { id, name }: Package,
): Promise<{ readonly revision: number; readonly served: unknown }> {
  const source = await packageSource(hub.database, id);
  if (source === undefined) throw notFound(name);
  const document = await full.make(hub, source, originOf(hub.settings, request));
  return { revision: source.revision, served: JSON.parse(JSON.stringify(document)) as unknown };
}

function revisionIn(document: unknown): string {
  const { _rev } = (document ?? {}) as { readonly _rev?: unknown };
  if (typeof _rev === "string") return _rev;
  throw new HubError("revision-missing", {
    message:
      "The document has no _rev, which says what it was made of. Read it (GET with ?write=true), change it, and send it back.",
  });
}
