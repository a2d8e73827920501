import { createHash } from "node:crypto";

import { canonicalJson, contentHash } from "@envs/core/engine";
import type { EnvironmentManifest, RunUpload } from "@envs/hub-client";

import type { Package } from "../../access/permissions/require-package.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { requireQuota } from "../../packages/publish/quota.ts";
import { isUniqueViolation } from "../../platform/database/unique-violation.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { requireDeclared } from "../declarations/check-declared.ts";
import { splitOf } from "../declarations/manifest-defaults.ts";
import { rejectCopy, requireEnvironment, requireRunRate, requireSize } from "./admit-upload.ts";
import { newRunId } from "./run-id.ts";

/** Begins an upload, or finds the user's upload of the same content. Returns its id. */
export async function createUpload(
  hub: Hub,
  { identity, package: package_ }: { readonly identity: Identity; readonly package: Package },
  upload: RunUpload,
): Promise<string> {
  const hash = createHash("sha256").update(canonicalJson(upload)).digest("hex");
  const existing = await findUpload(hub, identity, hash);
  if (existing !== undefined) return existing;
  const { versionId, manifest } = await requireEnvironment(hub.database, package_, upload);
  await requireDeclared(hub.database, identity, upload, hub.clock());
  await rejectCopy(hub.database, { packageId: package_.id, contentHash: hash });
  requireSize(hub.settings, upload);
  await requireRunRate(hub, identity);
  const right = { existingPackage: undefined, ownerId: identity.userId };
  await requireQuota(hub.database, hub.settings, [{ right, tarballBytes: 0 }]);
  try {
    const stored = { identity, package: package_, versionId, manifest, hash };
    return await insertUpload(hub, stored, upload);
  } catch (error) {
    if (!isUniqueViolation(error, "runs_owner_id_content_hash_key")) throw error;
    // A concurrent request of the same user created it.
    return (await findUpload(hub, identity, hash)) ?? Promise.reject(error);
  }
}

async function findUpload(
  { database }: Hub,
  { userId }: Identity,
  hash: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom("runs")
    .where("owner_id", "=", userId)
    .where("content_hash", "=", hash)
    .select("id")
    .executeTakeFirst();
  return row?.id;
}

interface NewUpload {
  readonly identity: Identity;
  readonly package: Package;
  readonly versionId: number;
  readonly manifest: EnvironmentManifest;
  readonly hash: string;
}

async function insertUpload(
  hub: Hub,
  { identity, package: package_, versionId, manifest, hash }: NewUpload,
  upload: RunUpload,
): Promise<string> {
  const id = newRunId();
  return await change(hub, async ({ database, now }) => {
    await database
      .insertInto("runs")
      .values({
        id,
        kind: upload.kind,
        package_id: package_.id,
        version_id: versionId,
        owner_id: identity.userId,
        content_hash: hash,
        config: JSON.stringify(upload.config),
        config_hash: contentHash(upload.config),
        example_set: upload.exampleSet,
        model: upload.model,
        sampling: JSON.stringify(upload.sampling),
        seed: upload.seed,
        split: splitOf(manifest, upload.split),
        pass_threshold: manifest.passThreshold ?? 0.5,
        declaration_id: upload.declaration,
        driver: upload.driver,
        core_version: upload.coreVersion,
        price: upload.price === null ? null : JSON.stringify(upload.price),
        details: JSON.stringify(upload.details),
        model_package: upload.modelPackage,
        started_at: upload.startedAt === null ? null : new Date(upload.startedAt),
        totals: JSON.stringify(upload.totals),
        bytes: upload.parts.reduce((sum, { bytes }) => sum + bytes, 0),
        created_at: now,
        updated_at: now,
      })
      .execute();
    await database.insertInto("run_parts").values(partRows(id, upload)).execute();
    return id;
  });
}

function partRows(runId: string, { parts }: RunUpload) {
  let position = 0;
  return parts.map((part, index) => {
    const { kind, phase, step, sha256, bytes, lines, file = null } = part;
    const row = { run_id: runId, part: index, kind, phase, step, sha256, bytes, lines, file };
    const first = position;
    if (kind === "rollouts") position += lines;
    return { ...row, first_position: first };
  });
}
