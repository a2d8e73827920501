import { basename } from "node:path/posix";

import type { ScoredRollout } from "@envs/core";
import { isReadable, mapMedia, parseMediaReference, parseRow } from "@envs/records";

import { readMedia, readRows } from "../evaluations/rollouts/read-rows.ts";
import type { Hub } from "../platform/hub/hub.ts";

/** The scored rollouts of one example of a run, in the order of their numbers. */
export interface RecordedGroup {
  readonly exampleIndex: number;
  readonly exampleKey: string;
  readonly rollouts: readonly ScoredRollout[];
}

const pageSize = 100;

/** Reads the rollouts of a run by example. A group is complete when its last rollout was read, so few are held in memory. */
export async function* recordedGroups(
  hub: Pick<Hub, "database" | "blobs">,
  runId: string,
): AsyncGenerator<RecordedGroup> {
  const remaining = await groupSizes(hub, runId);
  const open = new Map<string, ScoredRollout[]>();
  for (let from: number | null = 0; from !== null;) {
    const page = await readRows(hub, runId, { from, limit: pageSize });
    for (const item of page.items) {
      const rollout = parseRow(JSON.stringify(item));
      if (!isReadable(rollout)) continue;
      const { exampleIndex, exampleKey } = rollout;
      const rollouts = open.get(exampleKey) ?? [];
      open.set(exampleKey, rollouts);
      if (rollout.status === "scored") rollouts.push(rollout);
      const left = (remaining.get(exampleKey) ?? 1) - 1;
      remaining.set(exampleKey, left);
      if (left > 0) continue;
      open.delete(exampleKey);
      const sorted = rollouts.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
      if (sorted.length > 0)
        yield { exampleIndex, exampleKey, rollouts: await withMedia(hub, runId, sorted) };
    }
    from = page.next;
  }
}

async function groupSizes(
  { database }: Pick<Hub, "database">,
  runId: string,
): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom("rollouts")
    .where("run_id", "=", runId)
    .groupBy("example_key")
    .select("example_key")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .execute();
  return new Map(rows.map(({ example_key: key, count }) => [key, count]));
}

/**
 * Replaces references in rollouts by the bytes of the files, which a replay has in its messages. A reference to a file that was
 * not pushed stays, so that the comparison fails.
 */
async function withMedia(
  hub: Pick<Hub, "database" | "blobs">,
  runId: string,
  rollouts: readonly ScoredRollout[],
): Promise<readonly ScoredRollout[]> {
  const references = new Map<string, string | undefined>();
  for (const rollout of rollouts)
    mapMedia(rollout, (source) => {
      if (parseMediaReference(source) !== undefined) references.set(source, undefined);
      return source;
    });
  if (references.size === 0) return rollouts;
  for (const source of references.keys()) {
    const { path, mediaType } = parseMediaReference(source)!;
    const bytes = await readMedia(hub, runId, basename(path)).catch(() => undefined);
    if (bytes === undefined) continue;
    references.set(source, `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`);
  }
  return rollouts.map((rollout) => mapMedia(rollout, (source) => references.get(source) ?? source));
}
