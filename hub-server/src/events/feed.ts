import { permissionFor, allows } from "../access/permissions.ts";
import type { Identity } from "../accounts/identity.ts";
import type { Database } from "../database/connect.ts";
import type { Row } from "../database/tables.ts";

/** An event as it is told. Of what a reader may not know, only the hashes are: the chain stays whole. */
export type ToldEvent =
  | (Omit<Row<"events">, "at" | "package_id"> & { readonly at: string })
  | (Pick<Row<"events">, "sequence" | "previous_hash" | "hash"> & { readonly hidden: true });

/** Who reads: a stranger, a user, or the hub itself on behalf of a package's owner. */
type Reader = Identity | undefined | "everything";

/** The events after a sequence number, oldest first. */
export async function eventsAfter(
  database: Database,
  {
    after,
    limit,
    identity,
  }: { readonly after: number; readonly limit: number; readonly identity: Reader },
): Promise<readonly ToldEvent[]> {
  const rows = await database
    .selectFrom("events")
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(limit)
    .selectAll()
    .execute();
  const readable =
    identity === "everything" ? undefined : await readablePackages(database, { rows, identity });
  return rows.map(({ package_id, ...row }) =>
    told(row, package_id === null || readable === undefined || readable.has(package_id)),
  );
}

function told({ at, ...row }: Omit<Row<"events">, "package_id">, isReadable: boolean): ToldEvent {
  if (isReadable) return { ...row, at: at.toISOString() };
  const { sequence, previous_hash, hash } = row;
  return { sequence, previous_hash, hash, hidden: true };
}

async function readablePackages(
  database: Database,
  {
    rows,
    identity,
  }: { readonly rows: readonly Row<"events">[]; readonly identity: Identity | undefined },
): Promise<ReadonlySet<number>> {
  const ids = [
    ...new Set(rows.flatMap(({ package_id }) => (package_id === null ? [] : [package_id]))),
  ];
  if (ids.length === 0) return new Set();
  const packages = await database
    .selectFrom("packages")
    .where("id", "in", ids)
    .selectAll()
    .execute();
  const readable = new Set<number>();
  for (const each of packages)
    if (allows(await permissionFor(database, identity, each), "read")) readable.add(each.id);
  return readable;
}
