import { hasPermission, readableBy } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { TargetKind } from "../platform/database/moderation-tables.ts";
import type { Database } from "../platform/database/tables.ts";
import { notFound } from "../platform/errors/hub-error.ts";

/** What a report or an act is about. */
export interface Target {
  readonly kind: TargetKind;
  /** The id of its row, as text. */
  readonly id: string;
  /** Its name: `@envs/tictactoe`, `@envs/tictactoe@0.2.0`, the id of a run, or a user's name. */
  readonly subject: string;
  /** The account that may appeal. */
  readonly ownerId: number;
  /** The package or the version's package, whose owners may not decide. */
  readonly packageId: number | undefined;
}

/** The name of a target, from an address or a form. */
export interface TargetName {
  readonly kind: string;
  readonly name: string;
}

/** Finds what an identity reports or moderates. Throws `not-found` also if the identity may not read it. */
export async function requireTarget(
  database: Database,
  identity: Identity,
  { kind, name }: TargetName,
): Promise<Target> {
  const target = await find(database, identity, { kind, name });
  if (target === undefined) throw notFound(`The ${kind.slice(0, 20)} ${name.slice(0, 250)}`);
  return target;
}

async function find(
  database: Database,
  identity: Identity,
  { kind, name }: TargetName,
): Promise<Target | undefined> {
  if (kind === "package") return await findPackage(database, identity, name);
  if (kind === "version") return await findVersion(database, identity, name);
  if (kind === "run") return await findRun(database, identity, name);
  return kind === "user" ? await findUser(database, name) : undefined;
}

async function findPackage(
  database: Database,
  identity: Identity,
  name: string,
): Promise<Target | undefined> {
  const row = await database
    .selectFrom("packages")
    .where("packages.name", "=", name)
    .where(readableBy(identity))
    .select(["id", "name", "owner_id"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, owner_id: ownerId } = row;
  return { kind: "package", id: String(id), subject: row.name, ownerId, packageId: id };
}

async function findVersion(
  database: Database,
  identity: Identity,
  spec: string,
): Promise<Target | undefined> {
  const at = spec.lastIndexOf("@");
  const row = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .where("packages.name", "=", spec.slice(0, Math.max(at, 0)))
    .where("versions.version", "=", spec.slice(at + 1))
    .where(readableBy(identity))
    .select(["versions.id", "packages.owner_id", "packages.id as packageId"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, owner_id: ownerId, packageId } = row;
  return { kind: "version", id: String(id), subject: spec, ownerId, packageId };
}

async function findRun(
  database: Database,
  identity: Identity,
  id: string,
): Promise<Target | undefined> {
  const row = await database
    .selectFrom("runs")
    .innerJoin("packages", "packages.id", "runs.package_id")
    .where("runs.id", "=", id)
    .where("runs.state", "!=", "uploading")
    .where(hasPermission(identity, "read"))
    .select("runs.owner_id")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { kind: "run", id, subject: id, ownerId: row.owner_id, packageId: undefined };
}

async function findUser(database: Database, name: string): Promise<Target | undefined> {
  const row = await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .where("kind", "=", "user")
    .select("id")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    kind: "user",
    id: String(row.id),
    subject: name,
    ownerId: row.id,
    packageId: undefined,
  };
}

/** The path of a target's page. */
export function targetPath({ kind, subject }: Pick<Target, "kind" | "subject">): string {
  if (kind !== "version") return `/${kind}/${subject}`;
  const at = subject.lastIndexOf("@");
  return `/package/${subject.slice(0, at)}/v/${encodeURIComponent(subject.slice(at + 1))}`;
}
