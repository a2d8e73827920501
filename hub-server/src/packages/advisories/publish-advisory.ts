import type { RouteInput, routes } from "@envs/hub-client";
import semver from "semver";

import type { PackageChange } from "../../access/changes/change-package.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";

/** The body of the route that publishes an advisory. */
type NewAdvisory = Required<
  Omit<RouteInput<typeof routes.publishAdvisory>, "name" | "patchedVersions">
> & {
  readonly patchedVersions?: string | undefined;
};

/** Publishes an advisory for a package, and returns the advisory's id. */
export async function publishAdvisory(
  { database, now, identity, package: package_, event }: PackageChange,
  advisory: NewAdvisory,
): Promise<number> {
  const { title, overview, severity, vulnerableVersions, patchedVersions, cwe } = advisory;
  requireRange(vulnerableVersions);
  if (patchedVersions !== undefined) requireRange(patchedVersions);
  const { id } = await database
    .insertInto("advisories")
    .values({
      package_id: package_.id,
      title,
      overview,
      severity,
      vulnerable_versions: vulnerableVersions,
      patched_versions: patchedVersions ?? null,
      cwe,
      created_by: identity.userId,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const detail = { id, title, severity, vulnerableVersions };
  event({ type: "advisory.published", subject: package_.name, detail });
  return id;
}

/** Withdraws an advisory. Does nothing if it is withdrawn already. */
export async function withdrawAdvisory(
  { database, now, package: package_, event }: PackageChange,
  id: number,
): Promise<void> {
  const advisory = await database
    .selectFrom("advisories")
    .where("id", "=", id)
    .where("package_id", "=", package_.id)
    .select(["title", "withdrawn_at"])
    .executeTakeFirst();
  if (advisory === undefined) throw notFound(`Advisory ${id} of ${package_.name}`);
  if (advisory.withdrawn_at !== null) return;
  await database
    .updateTable("advisories")
    .set({ withdrawn_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
  event({
    type: "advisory.withdrawn",
    subject: package_.name,
    detail: { id, title: advisory.title },
  });
}

function requireRange(range: string): void {
  if (semver.validRange(range) !== null) return;
  throw new HubError("invalid-range", {
    message: `${JSON.stringify(range)} is not a semver range. Write a range such as <=0.3.1 or >=1.0.0 <1.2.0.`,
  });
}
