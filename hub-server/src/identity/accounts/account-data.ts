import type { Database } from "../../platform/database/tables.ts";
import type { Person } from "../second-factor/set-up-second-factor.ts";
import { readProfile } from "./profile.ts";

/** All that the hub stores about a user, without secrets and hashes. Runs and packages are listed, and downloaded by their own routes. */
export async function accountData(
  database: Database,
  { id, name, now }: Person & { readonly now: Date },
): Promise<Readonly<Record<string, unknown>>> {
  return {
    exportedAt: now.toISOString(),
    profile: await readProfile(database, id),
    tokens: await database
      .selectFrom("tokens")
      .where("user_id", "=", id)
      .select(["id", "name", "description", "preview", "purpose", "readonly", "packages", "scopes"])
      .select(["cidr_whitelist", "created_at", "expires_at", "last_used_at", "revoked_at"])
      .execute(),
    sessions: await database
      .selectFrom("sessions")
      .where("user_id", "=", id)
      .select(["client", "address", "created_at", "last_used_at", "expires_at"])
      .execute(),
    waysToSignIn: await database
      .selectFrom("identities")
      .where("user_id", "=", id)
      .select(["issuer", "subject", "label", "created_at", "last_used_at"])
      .execute(),
    passkeys: await database
      .selectFrom("passkeys")
      .where("user_id", "=", id)
      .select(["id", "name", "created_at", "last_used_at"])
      .execute(),
    organisations: await database
      .selectFrom("memberships")
      .innerJoin("accounts", "accounts.id", "memberships.organisation_id")
      .where("user_id", "=", id)
      .select(["name", "role", "memberships.created_at"])
      .execute(),
    packages: await database
      .selectFrom("packages")
      .leftJoin("package_users", (join) =>
        join.onRef("package_id", "=", "packages.id").on("user_id", "=", id),
      )
      .where((row) => row.or([row("owner_id", "=", id), row("user_id", "=", id)]))
      .select(["name", "permission", "packages.created_at"])
      .execute(),
    versions: await database
      .selectFrom("versions")
      .innerJoin("packages", "packages.id", "versions.package_id")
      .where("published_by", "=", id)
      .select(["name", "version", "published_at"])
      .execute(),
    runs: await database
      .selectFrom("runs")
      .innerJoin("packages", "packages.id", "runs.package_id")
      .where("runs.owner_id", "=", id)
      .select(["runs.id", "kind", "state", "packages.name as package", "model"])
      .select(["config", "summary", "runs.created_at"])
      .execute(),
    stars: await database
      .selectFrom("stars")
      .innerJoin("packages", "packages.id", "stars.package_id")
      .where("user_id", "=", id)
      .select(["name", "stars.created_at"])
      .execute(),
    events: await database
      .selectFrom("events")
      .where((row) => row.or([row("actor", "=", name), row("subject", "=", name)]))
      .select(["sequence", "at", "type", "actor", "subject", "detail"])
      .orderBy("sequence")
      .execute(),
  };
}
