import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { setBadge } from "./badges.ts";

/**
 * Marks the run that a new run repeats, if both have the same recipe and their 95 % intervals overlap. The evidence names the
 * user who repeated it, because users may also repeat their own runs.
 */
export async function markReproduced(
  database: Database,
  repeated: Row<"runs">,
  { by, now }: { readonly by: string; readonly now: Date },
): Promise<void> {
  const { reproduces } = repeated.details;
  if (typeof reproduces !== "string") return;
  const original = await database
    .selectFrom("runs")
    .where("id", "=", reproduces)
    .where("state", "=", "complete")
    .where("kind", "=", "evaluation")
    .where("version_id", "=", repeated.version_id)
    .where("config_hash", "=", repeated.config_hash)
    .where("example_set", "=", repeated.example_set)
    .where("model", "=", repeated.model)
    .selectAll()
    .executeTakeFirst();
  const [before, after] = [original?.summary?.interval, repeated.summary?.interval];
  if (original === undefined || before == null || after == null) return;
  if (JSON.stringify(original.sampling) !== JSON.stringify(repeated.sampling)) return;
  if (before.low > after.high || after.low > before.high) return;
  const evidence = { run: repeated.id, by, interval: before, repeated: after };
  await setBadge(database, { runId: original.id, badge: "reproduced", evidence, now });
}
