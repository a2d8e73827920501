import { contentHash, type RolloutFacts } from "@envs/core/engine";
import type { RunSummary } from "@envs/hub-client";
import { exampleSetHash } from "@envs/records";

import type { Row } from "../../platform/database/tables.ts";
import { isUniqueViolation } from "../../platform/database/unique-violation.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Change, Hub } from "../../platform/hub/hub.ts";
import { requireComplete, requireOpen } from "../declarations/check-declared.ts";
import { storedFacts } from "../rollouts/stored-facts.ts";
import { changeRun, deleteRun, type LockedRun, queueRescoring } from "../runs/change-run.ts";
import { scoresOf } from "../runs/read-runs.ts";
import { recordRepeat } from "../runs/reproductions.ts";
import { failedRewardOf, summarize } from "../runs/summarize.ts";
import { rejectCopy } from "./admit-upload.ts";

/** The errors of an upload whose content is wrong, so that it can never be complete. */
const rejections: ReadonlySet<string> = new Set([
  "run-totals",
  "declaration-closed",
  "declaration-mismatch",
]);

/**
 * Computes the numbers of an upload that has all parts, and makes the run visible. An upload whose totals differ from its
 * rollouts, or that is not the declared run, is deleted.
 */
export async function completeUpload(
  hub: Hub,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<void> {
  try {
    await changeRun(hub, id, (change, locked) => complete(change, locked, actor));
  } catch (error) {
    if (isUniqueViolation(error, "runs_content")) await rejectConcurrentCopy(hub, id);
    if (error instanceof HubError && rejections.has(error.code)) await deleteRun(hub, id);
    throw error;
  }
}

/** Another user completed the same run after this upload began. */
async function rejectConcurrentCopy(hub: Hub, id: string): Promise<void> {
  const { packageId, contentHash } = await hub.database
    .selectFrom("runs")
    .where("id", "=", id)
    .select(["package_id as packageId", "content_hash as contentHash"])
    .executeTakeFirstOrThrow();
  await deleteRun(hub, id);
  await rejectCopy(hub.database, { packageId, contentHash });
}

async function complete(
  change: Change,
  { run, packageName, version }: LockedRun,
  actor: string,
): Promise<void> {
  if (run.state === "complete") return;
  const { database, now, event } = change;
  await requireAllParts(database, run.id);
  const facts = await storedFacts(database, run.id);
  const { price, pass_threshold: passThreshold, split, details } = run;
  const failedReward = failedRewardOf(await scoresOf(database, run.version_id), facts);
  const summary = summarize(facts, { passThreshold, price, failedReward });
  checkTotals(run, summary, facts);
  if (run.declaration_id !== null) await completeDeclaration(change, run.declaration_id, facts);
  const { examples } = summary;
  const sample = contentHash({ split, select: details["select"] ?? null, examples });
  await database
    .updateTable("runs")
    .set({
      state: "complete",
      summary: JSON.stringify(summary),
      reward: summary.reward.mean,
      sample,
      completed_at: now,
      updated_at: now,
    })
    .where("id", "=", run.id)
    .execute();
  if (run.kind === "evaluation") {
    await queueRescoring(database, run, now);
    await recordRepeat(database, { ...run, summary, sample }, now);
  }
  event({
    type: "run.pushed",
    actor,
    subject: `${packageName}@${version}`,
    detail: { run: run.id, kind: run.kind, sha256: run.content_hash },
    packageId: run.package_id,
  });
}

async function completeDeclaration(
  { database, now }: Change,
  id: string,
  facts: readonly RolloutFacts[],
): Promise<void> {
  const declaration = await database
    .selectFrom("declarations")
    .where("id", "=", id)
    .selectAll()
    .forUpdate()
    .executeTakeFirstOrThrow();
  requireOpen(declaration);
  await requireComplete(declaration, facts);
  await database
    .updateTable("declarations")
    .set({ completed_at: now })
    .where("id", "=", id)
    .execute();
}

async function requireAllParts(database: Change["database"], runId: string): Promise<void> {
  const missing = await database
    .selectFrom("run_parts")
    .where("run_id", "=", runId)
    .where("blob", "is", null)
    .orderBy("part")
    .select("part")
    .execute();
  if (missing.length === 0) return;
  const parts = missing
    .slice(0, 10)
    .map(({ part }) => part)
    .join(", ");
  throw new HubError("run-incomplete", {
    message: `The run lacks ${missing.length} of its parts: ${parts}${missing.length > 10 ? ", …" : ""}. Push it again to send them.`,
  });
}

/** Compares the totals that the client announced with those of the rollouts. */
function checkTotals(
  { kind, totals, example_set: exampleSet }: Row<"runs">,
  { counts, reward, usage }: RunSummary,
  facts: readonly RolloutFacts[],
): void {
  const actual: Readonly<Record<string, number | null>> = {
    rollouts: counts.total,
    scored: counts.scored,
    reward: reward.mean,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
  };
  for (const [name, value] of Object.entries(actual))
    if (!isClose(value, totals[name]))
      throw totalsError(`${name} is ${String(totals[name])}, but the rollouts have ${value}`);
  if (exampleSetHash(facts.map(({ exampleKey }) => exampleKey)) !== exampleSet)
    throw totalsError("exampleSet is not the hash of the keys of the rollouts");
  // The steps of a training may sample several datasets.
  if (kind === "evaluation") checkExamples(facts);
}

function isClose(actual: number | null, announced: unknown): boolean {
  if (actual === null || typeof announced !== "number") return actual === announced;
  return Math.abs(actual - announced) <= 1e-9 * Math.max(1, Math.abs(actual));
}

/** An example has one position in the dataset, and a position has one example. */
function checkExamples(facts: readonly RolloutFacts[]): void {
  const keys = new Map<number, string>();
  const indexes = new Map<string, number>();
  for (const { exampleIndex: index, exampleKey: key } of facts) {
    if ((keys.get(index) ?? key) !== key || (indexes.get(key) ?? index) !== index)
      throw totalsError(`the example ${JSON.stringify(key)} has more than one example_id`);
    keys.set(index, key);
    indexes.set(key, index);
  }
}

function totalsError(problem: string): HubError {
  return new HubError("run-totals", {
    message: `The description of the run does not match its rollouts: ${problem}. The hub has deleted the upload.`,
  });
}
