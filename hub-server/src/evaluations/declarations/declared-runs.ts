import type { DeclaredRuns } from "@envs/hub-client";
import { sql } from "kysely";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";

/** Counts the declared runs of a package, a user or a model, by user and model, and how many of them came back. */
export async function declaredRuns(
  database: Database,
  identity: Identity | undefined,
  filter: {
    readonly packageId?: number | undefined;
    readonly owner?: string | undefined;
    readonly model?: string | undefined;
    readonly now: Date;
  },
): Promise<DeclaredRuns[]> {
  const { packageId, owner, model, now } = filter;
  return await database
    .selectFrom("declarations")
    .innerJoin("packages", "packages.id", "declarations.package_id")
    .innerJoin("accounts", "accounts.id", "declarations.owner_id")
    .leftJoin("runs", (join) =>
      join.onRef("runs.declaration_id", "=", "declarations.id").on("runs.state", "=", "complete"),
    )
    .where(readableBy(identity))
    .$if(packageId !== undefined, (query) => query.where("packages.id", "=", packageId ?? 0))
    .$if(owner !== undefined, (query) => query.where("accounts.name", "=", owner ?? ""))
    .$if(model !== undefined, (query) => query.where("declarations.model", "=", model ?? ""))
    .groupBy(["accounts.name", "declarations.model"])
    .orderBy("accounts.name")
    .orderBy("declarations.model")
    .select(["accounts.name as owner", "declarations.model"])
    .select(sql<number>`count(*)::int`.as("declared"))
    .select(sql<number>`count(runs.id)::int`.as("completed"))
    .select(
      sql<number>`(count(*) filter (where declarations.completed_at is null and expires_at > ${now}))::int`.as(
        "open",
      ),
    )
    .execute();
}
