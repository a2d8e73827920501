import type { RouteInput, routes } from "@envs/hub-client";
import semver from "semver";

import type { PackageChange } from "../../access/changes/change-package.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";

/** What somebody warns of. */
export type Warning = Required<
  Omit<RouteInput<typeof routes.publishAdvisory>, "name" | "patchedVersions">
> & {
  readonly patchedVersions?: string | undefined;
};

/** Publishes an advisory, and gives its number. */
export async function warn(
  { database, now, identity, found, event }: PackageChange,
  { title, overview, severity, cwe, ...ranges }: Warning,
): Promise<number> {
  const vulnerableVersions = range(ranges.vulnerableVersions);
  const patchedVersions =
    ranges.patchedVersions === undefined ? null : range(ranges.patchedVersions);
  const { id } = await database
    .insertInto("advisories")
    .values({
      package_id: found.id,
      title,
      overview,
      severity,
      vulnerable_versions: vulnerableVersions,
      patched_versions: patchedVersions,
      cwe,
      created_by: identity.userId,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const detail = { id, title, severity, vulnerableVersions };
  event({ type: "advisory.published", subject: found.name, detail });
  return id;
}

/** Withdraws an advisory. Once more is no change. */
export async function withdraw(
  { database, now, found, event }: PackageChange,
  id: number,
): Promise<void> {
  const advisory = await database
    .selectFrom("advisories")
    .where("id", "=", id)
    .where("package_id", "=", found.id)
    .select(["title", "withdrawn_at"])
    .executeTakeFirst();
  if (advisory === undefined) throw notFound(`Advisory ${id} of ${found.name}`);
  if (advisory.withdrawn_at !== null) return;
  await database
    .updateTable("advisories")
    .set({ withdrawn_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
  event({
    type: "advisory.withdrawn",
    subject: found.name,
    detail: { id, title: advisory.title },
  });
}

/** A range as it was written: clients read it themselves. */
function range(text: string): string {
  if (semver.validRange(text) !== null) return text;
  throw new HubError("invalid-range", {
    message: `${JSON.stringify(text)} is not a range of versions. Write one such as <=0.3.1 or >=1.0.0 <1.2.0.`,
  });
}
