import * as z from "zod";

import { allows, permissionFor } from "../../access/permissions/permissions.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { visibleTo } from "./visible.ts";

/** A version that waits for approval; what came with it is large, and left out. */
export interface Staged extends Omit<Row<"staged_versions">, "attestations" | "hints"> {
  /** Who staged it. */
  readonly actor: string | null;
  /** The package, if it is there already. */
  readonly packageId: number | null;
}

interface Page {
  /** Of one package alone. */
  readonly name: string | undefined;
  readonly page: number;
  readonly perPage: number;
}

/** A page of the versions that wait and that somebody may see, the newest first, and how many there are on all pages. */
export async function stagedPage(
  database: Database,
  identity: Identity,
  { name, page, perPage }: Page,
): Promise<{ readonly items: readonly Staged[]; readonly total: number }> {
  const all = stagedVersions(database, identity);
  const wanted = name === undefined ? all : all.where("staged_versions.name", "=", name);
  const { total } = await wanted
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await withColumns(wanted)
    .orderBy("staged_versions.created_at", "desc")
    .orderBy("staged_versions.id")
    .offset(page * perPage)
    .limit(perPage)
    .execute();
  return { items, total };
}

/** One that somebody may see; only who administers the package, or will own it, may approve it. */
export async function requireStaged(
  database: Database,
  identity: Identity,
  { id, wanted }: { readonly id: string; readonly wanted: "read" | "admin" },
): Promise<Staged> {
  const staged = z.uuid().safeParse(id).success
    ? await withColumns(stagedVersions(database, identity))
        .where("staged_versions.id", "=", id)
        .executeTakeFirst()
    : undefined;
  if (staged === undefined) throw notFound(`The staged version ${id.slice(0, 50)}`);
  if (wanted === "read" || (await isAdministered(database, identity, staged))) return staged;
  throw forbidden(
    `${identity.name} may not approve ${staged.name}@${staged.version}: that is for its owners. See npm owner ls ${staged.name}`,
  );
}

async function isAdministered(
  database: Database,
  identity: Identity,
  { name, packageId, packageOwner, owner_id }: Staged & { readonly packageOwner: number | null },
): Promise<boolean> {
  const { scope = "" } = packageName(name);
  const held = await permissionFor(database, identity, {
    id: packageId ?? 0,
    name,
    scope,
    owner_id: packageOwner ?? owner_id,
    access: "restricted",
  });
  return allows(held, "admin");
}

function stagedVersions(database: Database, identity: Identity) {
  return database
    .selectFrom("staged_versions")
    .leftJoin("packages", "packages.name", "staged_versions.name")
    .leftJoin("accounts", "accounts.id", "staged_versions.staged_by")
    .where(visibleTo(identity));
}

function withColumns(query: ReturnType<typeof stagedVersions>) {
  return query
    .select(["staged_versions.id", "staged_versions.name", "staged_versions.version"])
    .select(["staged_versions.tag", "staged_versions.access", "staged_versions.blob"])
    .select(["staged_versions.shasum", "staged_versions.size", "staged_versions.owner_id"])
    .select(["staged_versions.staged_by", "staged_versions.actor_type"])
    .select("staged_versions.created_at")
    .select(["accounts.name as actor", "packages.id as packageId"])
    .select("packages.owner_id as packageOwner");
}
