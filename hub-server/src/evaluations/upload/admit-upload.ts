import type { EnvironmentManifest, RunUpload } from "@envs/hub-client";

import type { Package } from "../../access/permissions/require-package.ts";
import { hubAccountName } from "../../identity/accounts/hub-account.ts";
import { limitFor } from "../../identity/accounts/new-account-limit.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

const hour = 3_600_000;

/** Returns the version that a run names, with its manifest. Rejects other content than the version's. */
export async function requireEnvironment(
  database: Database,
  { id, name }: Package,
  { version, integrity, contentHash }: Pick<RunUpload, "version" | "integrity" | "contentHash">,
): Promise<{ readonly versionId: number; readonly manifest: EnvironmentManifest }> {
  const row = await database
    .selectFrom("versions")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("package_id", "=", id)
    .where("version", "=", version)
    .where("unpublished_at", "is", null)
    .select(["versions.id", "integrity", "environments.manifest"])
    .executeTakeFirst();
  if (row === undefined) throw notFound(`${name}@${version}`);
  if (row.manifest === null)
    throw new HubError("run-not-environment", {
      message: `${name}@${version} has no manifest, so it is not an environment that runs can be pushed for. Run envs build and publish a new version.`,
    });
  const manifest = row.manifest as EnvironmentManifest;
  if (row.integrity === integrity && manifest.contentHash === contentHash)
    return { versionId: row.id, manifest };
  throw new HubError("run-integrity", {
    message: `The run was not played on ${name}@${version} of this hub: ${
      row.integrity === integrity
        ? `the content hash of the published version is ${manifest.contentHash}, not ${contentHash}`
        : `the integrity of the published version is ${row.integrity}, not ${integrity}`
    }. Install the published version and evaluate it, or publish your changes first.`,
  });
}

/** Rejects a run that another user has pushed to the same package. */
export async function rejectCopy(
  database: Database,
  { packageId, contentHash }: { readonly packageId: number; readonly contentHash: string },
): Promise<void> {
  const copy = await database
    .selectFrom("runs")
    .where("package_id", "=", packageId)
    .where("content_hash", "=", contentHash)
    .where("state", "in", ["complete", "taken-down"])
    .select("id")
    .executeTakeFirst();
  if (copy === undefined) return;
  throw new HubError("run-exists", {
    message: `Another user has pushed the same run: /run/${copy.id}. Push your own run.`,
  });
}

/** Rejects a run with more rollouts or bytes than the hub accepts. */
export function requireSize(
  { HUB_RUN_BYTES, HUB_RUN_ROLLOUTS }: Settings,
  { parts, totals }: RunUpload,
): void {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes > HUB_RUN_BYTES)
    throw new HubError("run-too-large", {
      message: `The run has ${bytes} bytes. This hub accepts at most ${HUB_RUN_BYTES}. Evaluate fewer examples, or ask its operator.`,
    });
  const rollouts = parts.reduce(
    (sum, { kind, lines }) => sum + (kind === "rollouts" ? lines : 0),
    0,
  );
  if (rollouts > HUB_RUN_ROLLOUTS)
    throw new HubError("run-too-large", {
      message: `The run has ${rollouts} rollouts. This hub accepts at most ${HUB_RUN_ROLLOUTS}. Evaluate fewer examples, or ask its operator.`,
    });
  if (rollouts !== totals.rollouts)
    throw new HubError("run-totals", {
      message: `The parts of the run have ${rollouts} rollouts, but its totals state ${totals.rollouts}. Push the run again.`,
    });
}

/** Enforces the runs per user and hour. The hub's own plays have a budget of their requesters instead. */
export async function requireRunRate(
  { database, settings, clock }: Hub,
  user: Identity,
): Promise<void> {
  const { HUB_LIMITS, HUB_RUNS_PER_HOUR } = settings;
  if (HUB_LIMITS === "off" || user.name === hubAccountName) return;
  const limit = { user, max: HUB_RUNS_PER_HOUR, now: clock() };
  const { max, note } = await limitFor(database, settings, limit);
  const now = clock().getTime();
  const oldest = await database
    .selectFrom("runs")
    .where("owner_id", "=", user.userId)
    .where("created_at", ">", new Date(now - hour))
    .orderBy("created_at", "desc")
    .offset(max - 1)
    .limit(1)
    .select("created_at")
    .executeTakeFirst();
  if (oldest === undefined) return;
  const seconds = Math.max(1, Math.ceil((oldest.created_at.getTime() + hour - now) / 1000));
  throw new HubError("too-many-runs", {
    message: `Rate limit exceeded: each user may push ${max} runs per hour on this hub.${note} Try again in ${seconds} seconds, or ask its operator for a higher limit.`,
    headers: { "retry-after": String(seconds) },
  });
}
