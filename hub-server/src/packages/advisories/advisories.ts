import type { Advisory } from "@envs/hub-client";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";

/** An advisory as the database has it, with the name and the access of its package. */
export interface StoredAdvisory extends Omit<Row<"advisories">, "created_by"> {
  readonly package: string;
  readonly access: Row<"packages">["access"];
  readonly author: string | null;
}

/** Which advisories are wanted. What is left out does not matter. */
export interface AdvisoryFilter {
  readonly identity: Identity | undefined;
  readonly id?: number;
  readonly packageId?: number;
  readonly packages?: readonly string[];
  /** Those that were not withdrawn. */
  readonly isLive?: boolean;
}

/** Advisories of packages that whoever asks may read, the newest first. */
export async function advisories(
  database: Database,
  { identity, id, packageId, packages, isLive = false }: AdvisoryFilter,
): Promise<readonly StoredAdvisory[]> {
  return await database
    .selectFrom("advisories")
    .innerJoin("packages", "packages.id", "advisories.package_id")
    .leftJoin("accounts", "accounts.id", "advisories.created_by")
    .where(readableBy(identity))
    .$if(id !== undefined, (query) => query.where("advisories.id", "=", id ?? 0))
    .$if(packageId !== undefined, (query) => query.where("packages.id", "=", packageId ?? 0))
    .$if(packages !== undefined, (query) =>
      query.where((row) => row("packages.name", "=", row.fn.any(row.val([...(packages ?? [])])))),
    )
    .$if(isLive, (query) => query.where("advisories.withdrawn_at", "is", null))
    .orderBy("advisories.id", "desc")
    .selectAll("advisories")
    .select(["packages.name as package", "packages.access", "accounts.name as author"])
    .execute();
}

/** Where people read an advisory. The pages do not know who may read a private package; the API does. */
export function advisoryUrl(
  { id, access }: Pick<StoredAdvisory, "id" | "access">,
  origin: string,
): string {
  return access === "public" ? `${origin}/advisories/${id}` : `${origin}/api/v1/advisories/${id}`;
}

/** An advisory as the API tells it. */
export function toldAdvisory(found: StoredAdvisory, origin: string): Advisory {
  return {
    id: found.id,
    package: found.package,
    title: found.title,
    overview: found.overview,
    severity: found.severity,
    vulnerableVersions: found.vulnerable_versions,
    patchedVersions: found.patched_versions,
    cwe: found.cwe,
    url: advisoryUrl(found, origin),
    createdBy: found.author,
    createdAt: found.created_at.toISOString(),
    updatedAt: found.updated_at.toISOString(),
    withdrawnAt: found.withdrawn_at?.toISOString() ?? null,
  };
}
