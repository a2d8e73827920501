import { randomInt } from "node:crypto";
import { basename } from "node:path/posix";
import { gunzipSync } from "node:zlib";

import type { ScoredRollout } from "@envs/core";
import { runLimits } from "@envs/hub-client";
import { isReadable, mapMedia, parseMediaReference, parseRow } from "@envs/records";

import { readMedia } from "../evaluations/rollouts/read-rows.ts";
import type { Database } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";

/** The scored rollouts of one example of a run, in the order of their numbers. */
export interface RecordedGroup {
  readonly exampleIndex: number;
  readonly exampleKey: string;
  readonly rollouts: readonly ScoredRollout[];
}

/** The compressed parts of a run that are held while groups are read, in bytes. */
const maxHeldBytes = 64 * 2 ** 20;

/**
 * Reads the rollouts of a run by example, in random order: code that answers by the order of its calls does not know it. A few
 * groups and parts are held in memory, never the whole run.
 */
export async function* recordedGroups(
  hub: Pick<Hub, "database" | "blobs">,
  runId: string,
): AsyncGenerator<RecordedGroup> {
  const members = await membersOf(hub.database, runId);
  const read = memberReader(hub);
  for (const group of shuffled([...Map.groupBy(members, ({ key }) => key).values()])) {
    const rollouts: ScoredRollout[] = [];
    for (const member of group) {
      const rollout = parseRow(await read(member));
      if (isReadable(rollout) && rollout.status === "scored") rollouts.push(rollout);
    }
    const [first] = rollouts;
    if (first === undefined) continue;
    const { exampleIndex, exampleKey } = first;
    const sorted = rollouts.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
    yield { exampleIndex, exampleKey, rollouts: await withMedia(hub, runId, sorted) };
  }
}

/** Returns a copy in an order that published code cannot foresee. */
export function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [copy[last], copy[other]] = [copy[other]!, copy[last]!];
  }
  return copy;
}

async function membersOf(database: Database, runId: string) {
  return await database
    .selectFrom("rollouts")
    .innerJoin("run_parts", (join) =>
      join
        .onRef("run_parts.run_id", "=", "rollouts.run_id")
        .onRef("run_parts.part", "=", "rollouts.part"),
    )
    .where("rollouts.run_id", "=", runId)
    .where("reward", "is not", null)
    .orderBy("position")
    .select(["example_key as key", "member_start as start", "member_bytes as size", "blob"])
    .execute();
}

type Member = Awaited<ReturnType<typeof membersOf>>[number];

/** Reads lines of parts, and holds the parts that were read last. */
function memberReader({ blobs }: Pick<Hub, "blobs">): (member: Member) => Promise<string> {
  const held = new Map<string, Uint8Array>();
  let bytes = 0;
  return async ({ blob, start, size }) => {
    const name = blob ?? "";
    const content = held.get(name) ?? (await blobs.get(name)) ?? new Uint8Array(0);
    if (!held.has(name)) bytes += content.byteLength;
    held.delete(name);
    held.set(name, content);
    for (const [oldest, each] of held) {
      if (bytes <= maxHeldBytes || oldest === name) break;
      held.delete(oldest);
      bytes -= each.byteLength;
    }
    const options = { maxOutputLength: runLimits.partBytes };
    return gunzipSync(content.subarray(start, start + size), options).toString("utf8");
  };
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
