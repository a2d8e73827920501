import { randomUUID } from "node:crypto";

import type { Hub } from "../../src/platform/hub/hub.ts";
import type { SeededPackage } from "./seed-package.ts";

/** Inserts a complete run without rollouts, for tests that only count runs. Returns its id. Tests that read runs push them. */
export async function seedRun(
  { database, clock }: Hub,
  { id, versions }: SeededPackage,
  { kind, owner }: { readonly kind: "evaluation" | "training"; readonly owner: number },
): Promise<string> {
  const now = clock();
  const run = randomUUID();
  await database
    .insertInto("runs")
    .values({
      id: run,
      kind,
      state: "complete",
      package_id: id,
      version_id: Object.values(versions).at(-1) ?? 0,
      owner_id: owner,
      content_hash: randomUUID(),
      config: JSON.stringify({}),
      config_hash: "",
      example_set: "",
      model: "policy:random",
      sampling: JSON.stringify({}),
      pass_threshold: 1,
      driver: "envs",
      core_version: "0.0.0",
      details: JSON.stringify({}),
      totals: JSON.stringify({}),
      summary: JSON.stringify({}),
      bytes: 0,
      created_at: now,
      updated_at: now,
      completed_at: now,
    })
    .execute();
  return run;
}
