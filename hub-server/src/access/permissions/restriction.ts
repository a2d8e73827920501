import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Rejects the use of a package that moderators have quarantined or taken down. */
export async function rejectRestricted(
  database: Database,
  { id, name, restriction }: Pick<Row<"packages">, "id" | "name" | "restriction">,
): Promise<void> {
  if (restriction === null) return;
  const reason = await reasonFor(database, { kind: "package", id: String(id) });
  if (restriction === "quarantined")
    throw new HubError("package-quarantined", {
      message: `${name} is quarantined: moderators of this hub examine it (${reason}), so it can be neither installed nor changed. Wait for their decision, or use another package. Its owners can appeal: /settings/decisions`,
    });
  throw new HubError("package-taken-down", {
    message: `Moderators of this hub have taken ${name} down (${reason}). Its name cannot be used again; use another package. Its owners can appeal: /settings/decisions`,
  });
}

/** Rejects the use of a version that moderators have taken down. */
export async function rejectTakenDown(
  database: Database,
  { id, name }: Pick<Row<"packages">, "id" | "name">,
  version: string,
): Promise<void> {
  const row = await database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("version", "=", version)
    .where("taken_down_at", "is not", null)
    .select("id")
    .executeTakeFirst();
  if (row === undefined) return;
  const reason = await reasonFor(database, { kind: "version", id: String(row.id) });
  throw new HubError("version-taken-down", {
    message: `Moderators of this hub have taken ${name}@${version} down (${reason}). Install another version. The package's owners can appeal: /settings/decisions`,
  });
}

/** The public reason for the act on a target. */
export async function reasonFor(
  database: Database,
  { kind, id }: { readonly kind: "package" | "version" | "run"; readonly id: string },
): Promise<string> {
  const act = await database
    .selectFrom("moderation_acts")
    .where("target_kind", "=", kind)
    .where("target_id", "=", id)
    .where("ended_at", "is", null)
    .select("reason")
    .executeTakeFirst();
  return `reason: ${act?.reason ?? "none"}`;
}
