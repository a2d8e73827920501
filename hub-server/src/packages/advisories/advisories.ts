import type { Advisory } from "@envs/hub-client";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database, Row } from "../../platform/database/tables.ts";

/** A row of the table `advisories`, with the package's name and access. */
export interface StoredAdvisory extends Omit<Row<"advisories">, "created_by"> {
  readonly package: string;
  readonly access: Row<"packages">["access"];
  /** The name of the user who published it. */
  readonly author: string | null;
}

/** A condition that is undefined matches every advisory. */
interface AdvisoryFilter {
  readonly id?: number | undefined;
  readonly packageId?: number | undefined;
  readonly packages?: readonly string[] | undefined;
  /** Default: false, so that withdrawn advisories are included. */
  readonly excludeWithdrawn?: boolean | undefined;
}

/** The advisories of packages that the identity may read, newest first. */
export async function findAdvisories(
  database: Database,
  identity: Identity | undefined,
  { id, packageId, packages, excludeWithdrawn = false }: AdvisoryFilter,
): Promise<readonly StoredAdvisory[]> {
  return await database
    .selectFrom("advisories")
    .innerJoin("packages", "packages.id", "advisories.package_id")
    .leftJoin("accounts", "accounts.id", "advisories.created_by")
    // The advisories of a public package stay visible while moderators quarantine it: users have installed it.
    .where((row) => row.or([row("packages.access", "=", "public"), readableBy(identity)]))
    .$if(id !== undefined, (query) => query.where("advisories.id", "=", id ?? 0))
    .$if(packageId !== undefined, (query) => query.where("packages.id", "=", packageId ?? 0))
    .$if(packages !== undefined, (query) =>
      query.where((row) => row("packages.name", "=", row.fn.any(row.val([...(packages ?? [])])))),
    )
    .$if(excludeWithdrawn, (query) => query.where("advisories.withdrawn_at", "is", null))
    .orderBy("advisories.id", "desc")
    .selectAll("advisories")
    .select(["packages.name as package", "packages.access", "accounts.name as author"])
    .execute();
}

/** The URL of an advisory's page. */
export function advisoryUrl({ id }: Pick<StoredAdvisory, "id">, origin: string): string {
  return `${origin}/advisories/${id}`;
}

/** An advisory in the format of the hub's API. */
export function advisoryResponse(advisory: StoredAdvisory, origin: string): Advisory {
  return {
    id: advisory.id,
    package: advisory.package,
    title: advisory.title,
    overview: advisory.overview,
    severity: advisory.severity,
    vulnerableVersions: advisory.vulnerable_versions,
    patchedVersions: advisory.patched_versions,
    cwe: advisory.cwe,
    url: advisoryUrl(advisory, origin),
    createdBy: advisory.author,
    createdAt: advisory.created_at.toISOString(),
    updatedAt: advisory.updated_at.toISOString(),
    withdrawnAt: advisory.withdrawn_at?.toISOString() ?? null,
  };
}
