import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";

import { connectEmbedded, type Database } from "../../src/postgres/database.ts";
import { postgresQueue } from "../../src/postgres/postgres-queue.ts";
import type { Group, Queue, QueuedRun, ResultRow } from "../../src/queue.ts";

export interface TestQueue extends AsyncDisposable {
  readonly queue: Queue;
  readonly database: Database;
}

const cache = join(import.meta.dirname, "../../../../node_modules/.cache/envs");

/** A queue in memory. */
export async function memoryQueue(): Promise<TestQueue> {
  const database = await connectEmbedded(
    await PGlite.create({ loadDataDir: await emptyCluster() }),
  );
  const queue = postgresQueue(database);
  return { queue, database, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() };
}

/** An empty database, because opening one is faster than creating one. */
async function emptyCluster(): Promise<Blob> {
  const file = join(cache, "empty-cluster.tar.gz");
  const dump = await readFile(file).catch(() => undefined);
  if (dump !== undefined) return new Blob([new Uint8Array(dump)]);
  const database = await PGlite.create();
  const made = await database.dumpDataDir("gzip");
  await database.close();
  await mkdir(cache, { recursive: true });
  await writeFile(`${file}.${process.pid}`, Buffer.from(await made.arrayBuffer()));
  await rename(`${file}.${process.pid}`, file);
  return made;
}

export function newRun(plan = "{}"): QueuedRun {
  return { id: crypto.randomUUID(), plan };
}

export function group(key: string, rolloutIndices: readonly number[] = [0]): Group {
  return { example: { key, index: 0, example: { prompt: key } }, block: 0, rolloutIndices };
}

/** Leases groups of a run without waiting, until they have the given number of rollouts. */
export async function lease(queue: Queue, run: QueuedRun, rollouts = 20) {
  const { leases } = await queue.lease({
    worker: "00000000-0000-4000-8000-000000000000",
    ready: [run.id],
    refused: [],
    rollouts,
    signal: AbortSignal.abort(),
  });
  return leases;
}

/** All rows that a run has now. */
export async function allResults(queue: Queue, run: QueuedRun): Promise<readonly ResultRow[]> {
  const { rows } = await queue.results(run.id, { limit: 1000, signal: AbortSignal.abort() });
  return rows;
}
