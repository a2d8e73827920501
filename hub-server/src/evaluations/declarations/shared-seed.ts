import type { RunDeclaration } from "@envs/hub-client";
import { sql } from "kysely";

import type { Change } from "../../platform/hub/hub.ts";

/** How long declarations share a seed: no longer than one is open, so that examples are not known for much longer than before. */
const sharedDays = 30;
const day = 24 * 3_600_000;

/**
 * The seed of earlier declarations of the same dataset: runs of a board then have the same examples, and no user can search for
 * lucky ones. Undefined for the first one. A repeat has new examples, so a user shares its seed with other repeats of the run only.
 */
export async function sharedSeed(
  { database, now }: Pick<Change, "database" | "now">,
  {
    ownerId,
    packageId,
    versionId,
    recipe: { config, split, details },
  }: {
    readonly ownerId: number;
    readonly packageId: number;
    readonly versionId: number;
    readonly recipe: RunDeclaration;
  },
): Promise<number | undefined> {
  // Concurrent declarations of a user must not choose two seeds.
  await database
    .selectFrom("versions")
    .where("id", "=", versionId)
    .select("id")
    .forNoKeyUpdate()
    .execute();
  const { reproduces = null } = details;
  const dataset = JSON.stringify({ config, split });
  const repeated = JSON.stringify(reproduces);
  const earlier = await database
    .selectFrom("declarations")
    .where("package_id", "=", packageId)
    .where("version_id", "=", versionId)
    // The first declaration of a seed that is still shared is not older.
    .where("created_at", ">", new Date(now.getTime() - 2 * sharedDays * day))
    .where(
      sql<boolean>`jsonb_build_object('config', recipe -> 'config', 'split', recipe -> 'split') = ${dataset}::jsonb`,
    )
    .where(sql<boolean>`coalesce(recipe #> '{details,reproduces}', 'null') = ${repeated}::jsonb`)
    .$if(reproduces !== null, (query) => query.where("owner_id", "=", ownerId))
    .groupBy("seed")
    .having(({ fn }) => fn.min("created_at"), ">", new Date(now.getTime() - sharedDays * day))
    .orderBy(({ fn }) => fn.min("created_at"))
    .select("seed")
    .executeTakeFirst();
  return earlier?.seed;
}
