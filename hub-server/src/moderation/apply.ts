import { endAccess } from "../identity/accounts/end-access.ts";
import { repairTags } from "../packages/tags/repair-tags.ts";
import type { ActKind } from "../platform/database/moderation-tables.ts";
import { isUniqueViolation } from "../platform/database/unique-violation.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import type { Change } from "../platform/hub/hub.ts";

/** The target of an act, as its row names it. */
export interface ActTarget {
  readonly target_kind: "package" | "version" | "run" | "user";
  readonly target_id: string;
}

/** Makes an act effective. */
export async function apply(
  change: Change,
  { target_kind, target_id, kind }: ActTarget & { readonly kind: ActKind },
): Promise<void> {
  const { database, now } = change;
  const id = Number(target_id);
  if (target_kind === "package")
    return await restrict(change, id, kind === "quarantine" ? "quarantined" : "taken-down");
  if (target_kind === "version") {
    await database
      .updateTable("versions")
      .set((row) => ({
        taken_down_at: now,
        unpublished_at: row.fn.coalesce("unpublished_at", row.val(now)),
      }))
      .where("id", "=", id)
      .execute();
    return await refreshVersions(change, id);
  }
  if (target_kind === "run") return await setRunState(change, target_id, "taken-down");
  await database
    .updateTable("users")
    .set((row) => ({ disabled_at: row.fn.coalesce("disabled_at", row.val(now)) }))
    .where("account_id", "=", id)
    .execute();
  await endAccess(database, { userId: id, now });
}

/** Undoes {@link apply}. A version that its owner unpublished, and an account that was closed, stay so. */
export async function undo(
  change: Change,
  { target_kind, target_id, since }: ActTarget & { readonly since: Date },
): Promise<void> {
  const { database } = change;
  const id = Number(target_id);
  if (target_kind === "package") return await restrict(change, id, null);
  if (target_kind === "version") {
    await database
      .updateTable("versions")
      .set((row) => ({
        taken_down_at: null,
        unpublished_at: row
          .case()
          .when("unpublished_at", "=", row.ref("taken_down_at"))
          .then(null)
          .else(row.ref("unpublished_at"))
          .end(),
      }))
      .where("id", "=", id)
      .execute();
    return await refreshVersions(change, id);
  }
  if (target_kind === "run") return await setRunState(change, target_id, "complete");
  await database
    .updateTable("users")
    .set({ disabled_at: null })
    .where("account_id", "=", id)
    .where("disabled_at", "=", since)
    .execute();
}

async function restrict(
  { database, touch }: Change,
  id: number,
  restriction: "quarantined" | "taken-down" | null,
): Promise<void> {
  const row = await database
    .updateTable("packages")
    .set({ restriction })
    .where("id", "=", id)
    .returning(["id", "name"])
    .executeTakeFirst();
  if (row !== undefined) touch(row);
}

async function refreshVersions(
  { database, event, touch }: Change,
  versionId: number,
): Promise<void> {
  const package_ = await database
    .selectFrom("packages")
    .where("id", "=", (row) =>
      row.selectFrom("versions").where("id", "=", versionId).select("package_id"),
    )
    .selectAll()
    .executeTakeFirst();
  if (package_ === undefined) return;
  await repairTags({
    database,
    package: package_,
    touch: () => touch(package_),
    event: (fields) => event({ ...fields, actor: null, packageId: package_.id }),
  });
  touch(package_);
}

/** Changes whether boards and pages show a run. All replicas drop their cached responses about its package. */
async function setRunState(
  { database, touch }: Change,
  id: string,
  state: "complete" | "taken-down",
): Promise<void> {
  const row = await database
    .updateTable("runs")
    .set({ state })
    .where("id", "=", id)
    .where("state", "!=", "uploading")
    .returning("package_id")
    .executeTakeFirst()
    .catch((error: unknown) => {
      if (!isUniqueViolation(error, "runs_content")) throw error;
      throw new HubError("run-exists", {
        message: "Another user has pushed the same run since, so this one cannot be restored.",
      });
    });
  if (row === undefined) return;
  const package_ = await database
    .selectFrom("packages")
    .where("id", "=", row.package_id)
    .select(["id", "name"])
    .executeTakeFirstOrThrow();
  touch(package_);
}
