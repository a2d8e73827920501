import { setImmediate } from "node:timers/promises";

import type { EnvironmentManifest } from "@envs/hub-client";
import { sql } from "kysely";

import { requireQuotaLocked } from "../../packages/publish/quota.ts";
import { keepBlobs } from "../../platform/blobs/claims.ts";
import type { Row } from "../../platform/database/tables.ts";
import { isUniqueViolation } from "../../platform/database/unique-violation.ts";
import { HubError, notFound, refusal } from "../../platform/errors/hub-error.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { deleteRun } from "../runs/change-run.ts";
import { checkMetrics } from "./check-metrics.ts";
import { type CheckedRollout, checkRollout, RecordProblem } from "./check-rollout.ts";
import { insertMetrics, insertRollouts } from "./insert-lines.ts";
import { readFilePart, readPart, type StoredPart, storedPart } from "./part-content.ts";
import type { OwnRun } from "./upload-rights.ts";

type Part = Row<"run_parts">;
/** The constraints that a repeated rollout or a repeated step of the metrics violates. */
const keys = [
  "rollouts_run_id_phase_step_example_key_rollout_index_key",
  "run_metrics_run_id_phase_step_kind_key",
];
type Content =
  | { readonly kind: "rollouts"; readonly lines: readonly CheckedRollout[] }
  | { readonly kind: "metrics"; readonly lines: readonly ReturnType<typeof checkMetrics>[] };

/**
 * Checks each line of a part and stores it; a file is stored as it is. A part that the hub has is not stored again. A line that is not a rollout of the
 * environment deletes the upload, because its content cannot change.
 */
export async function storePart(
  hub: Hub,
  { run }: Pick<OwnRun, "run">,
  { index, body }: { readonly index: number; readonly body: Uint8Array },
): Promise<void> {
  const part = await hub.database
    .selectFrom("run_parts")
    .where("run_id", "=", run.id)
    .where("part", "=", index)
    .selectAll()
    .executeTakeFirst();
  if (part === undefined) throw notFound(`Part ${index} of the run ${run.id}`);
  if (part.blob !== null) return;
  if (part.kind === "media") {
    const stored = await readFilePart(body, part);
    await keepBlobs(hub, [stored]);
    await change(hub, (change) => markStored(hub, change, { run, part, stored }));
    return;
  }
  const lines = await readPart(body, part);
  try {
    const content = await check(lines, part, await manifestOf(hub, run.version_id));
    const stored = await storedPart(lines);
    await keepBlobs(hub, [stored]);
    await change(hub, (change) => insertPart(hub, change, { run, part, stored, content }));
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "run-record-invalid") throw error;
    await deleteRun(hub, run.id);
    throw error;
  }
}

async function manifestOf({ database }: Hub, versionId: number): Promise<EnvironmentManifest> {
  const { manifest } = await database
    .selectFrom("environments")
    .where("version_id", "=", versionId)
    .select("manifest")
    .executeTakeFirstOrThrow();
  return manifest as EnvironmentManifest;
}

async function check(
  lines: readonly string[],
  part: Part,
  manifest: EnvironmentManifest,
): Promise<Content> {
  if (part.kind === "metrics")
    return { kind: "metrics", lines: await checkEach(lines, part, checkMetrics) };
  return {
    kind: "rollouts",
    lines: await checkEach(lines, part, (line) => checkRollout(line, manifest)),
  };
}

/** Checks each line, and lets other requests run in between, because parsing takes long. */
async function checkEach<Line>(
  lines: readonly string[],
  part: Part,
  checkLine: (line: string) => Line,
): Promise<readonly Line[]> {
  const checked: Line[] = [];
  let since = performance.now();
  for (const [index, line] of lines.entries()) {
    if (performance.now() - since > 10) {
      await setImmediate();
      since = performance.now();
    }
    try {
      checked.push(checkLine(line));
    } catch (error) {
      // Deeply nested JSON exhausts the stack.
      if (!(error instanceof RecordProblem || error instanceof RangeError)) throw error;
      throw invalidRecord(part.first_position + index, error.message);
    }
  }
  return checked;
}

function invalidRecord(position: number, problem: string): HubError {
  return refusal(
    "run-record-invalid",
    `Line ${position + 1} of the run is not valid. ${problem} The hub has deleted the upload.`,
  );
}

/** A part that has arrived. */
interface NewPart {
  readonly run: OwnRun["run"];
  readonly part: Part;
  readonly stored: Pick<StoredPart, "key" | "bytes">;
}

async function insertPart(
  hub: Hub,
  change: Change,
  {
    run,
    part,
    stored,
    content,
  }: NewPart & { readonly stored: StoredPart; readonly content: Content },
): Promise<void> {
  const { database } = change;
  if (!(await markStored(hub, change, { run, part, stored }))) return;
  try {
    if (content.kind === "metrics") await insertMetrics(database, part, content.lines);
    else await insertRollouts(database, part, { facts: content.lines, members: stored.members });
  } catch (error) {
    if (!keys.some((key) => isUniqueViolation(error, key))) throw error;
    throw invalidRecord(
      part.first_position,
      part.kind === "rollouts"
        ? "This line or a later one repeats the example and the rollout index of another."
        : "This line or a later one repeats the step of another.",
    );
  }
}

/** Adds the blob of a part that has arrived. Returns false if a concurrent request has added it. */
async function markStored(
  hub: Hub,
  { database, now }: Change,
  { run, part, stored }: Pick<NewPart, "run" | "part" | "stored">,
): Promise<boolean> {
  // The lock of the run makes concurrent requests for one part wait for each other, and for a deletion.
  const locked = await database
    .selectFrom("runs")
    .where("id", "=", run.id)
    .where("state", "=", "uploading")
    .select("id")
    .forUpdate()
    .executeTakeFirst();
  if (locked === undefined) throw notFound(`The upload ${run.id}`);
  const { numUpdatedRows } = await database
    .updateTable("run_parts")
    .set({ blob: stored.key, blob_bytes: stored.bytes.byteLength })
    .where("run_id", "=", run.id)
    .where("part", "=", part.part)
    .where("blob", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const right = { existingPackage: undefined, ownerId: run.owner_id };
  await requireQuotaLocked(database, hub.settings, [{ right, tarballBytes: 0 }]);
  await database
    .updateTable("runs")
    .set({ updated_at: sql`greatest(updated_at, ${now})` })
    .where("id", "=", run.id)
    .execute();
  return true;
}
