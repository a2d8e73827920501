import type { FastifyInstance } from "fastify";

import { requirePackage } from "../../access/permissions/require-package.ts";
import { identify } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** The provenance statements of a version. */
export async function attestationRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  // Read the trusted root at startup, so that a wrong path fails at once.
  if (hub.settings.HUB_SIGSTORE_ROOT !== undefined)
    (await import("./trusted-root.ts")).sigstoreVerifier(hub.settings);
  packageRoute(app, "GET /-/npm/v1/attestations/:package", async (spec, request) => {
    const at = spec.lastIndexOf("@");
    const [name, version] = [spec.slice(0, at), spec.slice(at + 1)];
    if (at < 1 || version === "") throw notFound(spec);
    const identity = await identify(hub, request);
    const { id } = await requirePackage(hub.database, { identity, name, permission: "read" });
    const attestations = await listAttestations(hub.database, id, version);
    if (attestations.length === 0) throw notFound(`A provenance statement of ${spec}`);
    return { attestations };
  });
}

/** The provenance statements of a version, as Sigstore bundles. */
export async function listAttestations(
  database: Database,
  packageId: number,
  version: string,
): Promise<readonly { readonly predicateType: string; readonly bundle: unknown }[]> {
  return await database
    .selectFrom("attestations")
    .innerJoin("versions", "versions.id", "attestations.version_id")
    .where("versions.package_id", "=", packageId)
    .where("versions.version", "=", version)
    .where("versions.unpublished_at", "is", null)
    .orderBy("attestations.predicate_type")
    .select(["attestations.predicate_type as predicateType", "attestations.bundle"])
    .execute();
}
