import { createHash } from "node:crypto";

import type { EnvironmentManifest, RunDeclaration } from "@envs/hub-client";
import { sql } from "kysely";

import type { Package } from "../../access/permissions/require-package.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Row } from "../../platform/database/tables.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { packageChannel } from "../../platform/hub/finish-changes.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { requireEnvironment } from "../upload/admit-upload.ts";
import { newRunId } from "../upload/run-id.ts";
import { hasDefaults, splitOf } from "./manifest-defaults.ts";
import { sizeOf } from "./sample.ts";
import { sharedSeed } from "./shared-seed.ts";

const day = 24 * 3_600_000;
/** How long the hub waits for a declared run. */
const lifetimeDays = 30;
/** The maximum number of declared runs of a user that have not come back. */
const maxOpen = 100;

/** Stores the recipe of a run that has not begun, and chooses its seed. */
export async function declareRun(
  hub: Hub,
  { identity, package: package_ }: { readonly identity: Identity; readonly package: Package },
  declaration: RunDeclaration,
): Promise<Pick<Row<"declarations">, "id" | "seed" | "expires_at">> {
  const { versionId, manifest } = await requireEnvironment(hub.database, package_, declaration);
  requireSize(hub.settings, manifest, declaration);
  await requireRepeated(hub.database, package_, declaration);
  const declared = await change(hub, async (change) => {
    await rejectTooMany(hub, identity, change);
    const owner = { ownerId: identity.userId, package: package_, versionId };
    return await insertDeclaration(change, owner, declaration);
  });
  hub.invalidate(package_.name);
  return declared;
}

/** Stores a declaration inside a transaction. The caller has checked it, and drops cached responses about the package afterwards. */
export async function insertDeclaration(
  { database, now }: Pick<Change, "database" | "now">,
  {
    ownerId,
    package: package_,
    versionId,
  }: {
    readonly ownerId: number;
    readonly package: Pick<Package, "id" | "name">;
    readonly versionId: number;
  },
  recipe: RunDeclaration,
): Promise<Row<"declarations">> {
  await sql`select pg_notify(${packageChannel}, ${package_.name})`.execute(database);
  const id = newRunId();
  const seed = await sharedSeed(
    { database, now },
    { ownerId, packageId: package_.id, versionId, recipe },
  );
  return await database
    .insertInto("declarations")
    .values({
      id,
      owner_id: ownerId,
      package_id: package_.id,
      version_id: versionId,
      model: recipe.model,
      seed: seed ?? seedOf(id),
      recipe: JSON.stringify(recipe),
      created_at: now,
      expires_at: new Date(now.getTime() + lifetimeDays * day),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** 48 bits, so that every client can represent the seed. Everyone can compute it from the nonce. */
function seedOf(nonce: string): number {
  return Number.parseInt(createHash("sha256").update(nonce).digest("hex").slice(0, 12), 16);
}

/** Rejects a run that could not be checked or pushed later, before it costs anything. */
function requireSize(
  { HUB_RUN_ROLLOUTS: max }: Settings,
  manifest: EnvironmentManifest,
  declaration: RunDeclaration,
): void {
  const { config, split, size, rolloutsPerExample, details } = declaration;
  const rollouts = sizeOf(declaration) * rolloutsPerExample;
  if (rollouts > max)
    throw new HubError("run-too-large", {
      message: `The run would have ${rollouts} rollouts. This hub accepts at most ${max}. Declare fewer examples, or ask its operator.`,
    });
  if (details["select"] !== undefined) return;
  if (!hasDefaults(manifest, config)) return;
  const name = splitOf(manifest, split);
  const published = manifest.splits.find((candidate) => candidate.name === name);
  if (published === undefined) throw sizeError(`has no split ${name}`);
  if (published.size !== null && published.size !== size)
    throw sizeError(
      `has ${published.size} examples at build time, but there are ${size ?? "more"} now`,
    );
}

/** A repeat has another seed than other runs, so a user who invents what it repeats could search for a lucky one. */
async function requireRepeated(
  database: Hub["database"],
  { id, name }: Package,
  { details: { reproduces } }: RunDeclaration,
): Promise<void> {
  if (reproduces === undefined) return;
  const repeated = typeof reproduces === "string" ? reproduces : JSON.stringify(reproduces);
  const run = await database
    .selectFrom("runs")
    .where("id", "=", repeated)
    .where("package_id", "=", id)
    .where("state", "=", "complete")
    .select("id")
    .executeTakeFirst();
  if (run === undefined) throw notFound(`The run ${repeated.slice(0, 100)} of ${name}`);
}

function sizeError(problem: string): HubError {
  return new HubError("declaration-size", {
    message: `The published environment ${problem}. If its dataset has changed, build and publish the environment again.`,
  });
}

/** Locks the account, so that concurrent requests of one user cannot exceed the limit together. */
async function rejectTooMany(
  { settings }: Hub,
  { userId }: Identity,
  { database, now }: Change,
): Promise<void> {
  if (settings.HUB_LIMITS === "off") return;
  await database
    .selectFrom("accounts")
    .where("id", "=", userId)
    .select("id")
    .forNoKeyUpdate()
    .execute();
  const open = await database
    .selectFrom("declarations")
    .where("owner_id", "=", userId)
    .where("completed_at", "is", null)
    .where("expires_at", ">", now)
    .orderBy("expires_at")
    .select("expires_at")
    .execute();
  if (open.length < maxOpen) return;
  throw new HubError("declaration-limit", {
    message: `${open.length} of your declared runs have not come back. Resume and push one of them, or wait until the oldest expires: ${open[0]!.expires_at.toISOString()}`,
  });
}
