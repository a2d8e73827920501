import type { FastifyInstance } from "fastify";
import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** Counts downloads in memory, so that a download does not wait for the database. */
export interface DownloadCounts {
  readonly count: (versionId: number) => void;
}

interface DownloadRow {
  readonly versionId: number;
  readonly day: string;
  readonly count: number;
}

const flushMilliseconds = 1000;
const dayMilliseconds = 86_400_000;

/** Counts by version and day. Writes the counts every second and on shutdown; retries failed writes. */
export function downloadCounts(app: FastifyInstance, hub: Hub): DownloadCounts {
  let pending = new Map<number, Map<number, number>>();
  let writing = Promise.resolve();

  const add = (day: number, versionId: number, count: number): void => {
    let versions = pending.get(day);
    if (versions === undefined) pending.set(day, (versions = new Map()));
    versions.set(versionId, (versions.get(versionId) ?? 0) + count);
  };
  const write = async (): Promise<void> => {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await addDownloads(hub.database, [...rowsOf(batch)]);
    } catch (error) {
      for (const [day, versions] of batch)
        for (const [versionId, count] of versions) add(day, versionId, count);
      hub.log.error({ err: error }, "cannot write download counts, will retry");
    }
  };
  const flush = (): Promise<void> => (writing = writing.then(write));

  const timer = setInterval(() => void flush(), flushMilliseconds).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await flush();
  });
  return {
    count: (versionId) => add(Math.floor(hub.clock().getTime() / dayMilliseconds), versionId, 1),
  };
}

function* rowsOf(counts: ReadonlyMap<number, ReadonlyMap<number, number>>): Generator<DownloadRow> {
  for (const [dayNumber, versions] of counts) {
    const day = new Date(dayNumber * dayMilliseconds).toISOString().slice(0, 10);
    for (const [versionId, count] of versions) yield { versionId, day, count };
  }
}

/** Locks rows in a fixed order, because replicas that write concurrently could deadlock otherwise. */
async function addDownloads(database: Database, downloads: readonly DownloadRow[]): Promise<void> {
  const versionIds = downloads.map(({ versionId }) => versionId);
  const days = downloads.map(({ day }) => day);
  const counts = downloads.map(({ count }) => count);
  await sql`
    with counted as (
      select package_id, version_id, day::date, count
      from unnest(${versionIds}::bigint[], ${days}::text[], ${counts}::bigint[]) as rows (version_id, day, count)
      join versions on versions.id = version_id
    ), written as (
      insert into downloads (version_id, day, count)
      select version_id, day, count from counted order by version_id, day
      on conflict (version_id, day) do update set count = downloads.count + excluded.count
    ), locked as (
      select package_id from search_entries
      where package_id in (select package_id from counted) order by package_id for update
    ), sums as (
      select package_id, sum(count) as count from counted join locked using (package_id) group by package_id
    )
    update search_entries set downloads = downloads + sums.count
    from sums where sums.package_id = search_entries.package_id`.execute(database);
}
