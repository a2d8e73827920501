import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";

import { runLimits } from "@envs/hub-client";

import type { Database } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** A rollout as a row of `results.jsonl`. */
type RolloutRow = Readonly<Record<string, unknown>>;

/** The maximum text of a page, which ends early when its rows exceed it. */
const maxPageBytes = 16 * 2 ** 20;
/** The maximum size of one line of an upload. */
const maxLineBytes = runLimits.partBytes;

/** Reads whole rollouts by position, as they were pushed. The caller must have read the run. */
export async function readRows(
  { database, blobs }: Pick<Hub, "database" | "blobs">,
  runId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<{ readonly items: RolloutRow[]; readonly next: number | null }> {
  const members = await membersOf(database, runId, { from, limit: limit + 1 });
  const items: RolloutRow[] = [];
  let bytes = 0;
  let part: { readonly blob: string; readonly content: Uint8Array } | undefined;
  for (const { position, blob, member_start: start, member_bytes: size } of members) {
    if (items.length === limit || bytes > maxPageBytes) return { items, next: position };
    if (part?.blob !== blob) part = { blob, content: (await blobs.get(blob)) ?? new Uint8Array(0) };
    const text = gunzipSync(part.content.subarray(start, start + size), {
      maxOutputLength: maxLineBytes,
    });
    bytes += text.byteLength;
    items.push(JSON.parse(text.toString("utf8")) as RolloutRow);
  }
  return { items, next: null };
}

/** Reads one whole rollout. Throws `not-found` for a position that the run does not have. */
export async function readRow(
  hub: Pick<Hub, "database" | "blobs">,
  runId: string,
  position: number,
): Promise<RolloutRow> {
  const { items } = await readRows(hub, runId, { from: position, limit: 1 });
  const [row] = items;
  if (row === undefined) throw notFound(`Rollout ${position} of the run ${runId}`);
  return row;
}

async function membersOf(
  database: Database,
  runId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
) {
  const rows = await database
    .selectFrom("rollouts")
    .innerJoin("run_parts", (join) =>
      join
        .onRef("run_parts.run_id", "=", "rollouts.run_id")
        .onRef("run_parts.part", "=", "rollouts.part"),
    )
    .where("rollouts.run_id", "=", runId)
    .where("position", ">=", from)
    .orderBy("position")
    .limit(limit)
    .select(["position", "member_start", "member_bytes", "run_parts.blob"])
    .execute();
  return rows.flatMap(({ blob, ...row }) => (blob === null ? [] : [{ ...row, blob }]));
}

const inflate = promisify(gunzip);

/** The rollouts of a run as they were pushed: the lines of `results.jsonl`, part by part. The caller must have read the run. */
export async function* runLines(
  { database, blobs }: Pick<Hub, "database" | "blobs">,
  runId: string,
): AsyncGenerator<Uint8Array> {
  const parts = await database
    .selectFrom("run_parts")
    .where("run_id", "=", runId)
    .where("kind", "=", "rollouts")
    .orderBy("part")
    .select("blob")
    .execute();
  for (const { blob } of parts) {
    const content = blob === null ? undefined : await blobs.get(blob);
    if (content !== undefined)
      yield await inflate(content, { maxOutputLength: runLimits.partBytes });
  }
}

/** Reads a file to which the rollouts of a run refer. Throws `not-found`. The caller must have read the run. */
export async function readMedia(
  { database, blobs }: Pick<Hub, "database" | "blobs">,
  runId: string,
  file: string,
): Promise<Uint8Array> {
  const part = await database
    .selectFrom("run_parts")
    .where("run_id", "=", runId)
    .where("file", "=", file)
    .select("blob")
    .executeTakeFirst();
  const blob = part?.blob ?? undefined;
  const content = blob === undefined ? undefined : await blobs.get(blob);
  if (content === undefined) throw notFound(`The file ${file} of the run ${runId}`);
  return content;
}
