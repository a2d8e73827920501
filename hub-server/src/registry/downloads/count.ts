import type { FastifyInstance } from "fastify";
import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** Counts downloads in memory, so that none waits for the database. */
export interface DownloadCounts {
  readonly count: (versionId: number) => void;
}

interface Downloads {
  readonly versionId: number;
  readonly day: string;
  readonly count: number;
}

const flushMilliseconds = 1000;
const dayMilliseconds = 86_400_000;

/** Counts by version and day, and writes them every second and when the hub ends. What cannot be written is kept. */
export function downloadCounts(app: FastifyInstance, hub: Hub): DownloadCounts {
  let counted = new Map<number, Map<number, number>>();
  let writing = Promise.resolve();

  const add = (day: number, versionId: number, count: number): void => {
    let versions = counted.get(day);
    if (versions === undefined) counted.set(day, (versions = new Map()));
    versions.set(versionId, (versions.get(versionId) ?? 0) + count);
  };
  const write = async (): Promise<void> => {
    if (counted.size === 0) return;
    const taken = counted;
    counted = new Map();
    try {
      await addDownloads(hub.database, [...rowsOf(taken)]);
    } catch (error) {
      for (const [day, versions] of taken)
        for (const [versionId, count] of versions) add(day, versionId, count);
      hub.log.error({ err: error }, "downloads could not be written, and are kept");
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

function* rowsOf(counted: ReadonlyMap<number, ReadonlyMap<number, number>>): Generator<Downloads> {
  for (const [number, versions] of counted) {
    const day = new Date(number * dayMilliseconds).toISOString().slice(0, 10);
    for (const [versionId, count] of versions) yield { versionId, day, count };
  }
}

/** Replicas write at the same moment, so the order in which rows are locked is the same for all. */
async function addDownloads(database: Database, downloads: readonly Downloads[]): Promise<void> {
  const versionIds = downloads.map(({ versionId }) => versionId);
  const days = downloads.map(({ day }) => day);
  const counts = downloads.map(({ count }) => count);
  await sql`
    with counted as (
      select package_id, version_id, day::date, count
      from unnest(${versionIds}::bigint[], ${days}::text[], ${counts}::bigint[]) as each (version_id, day, count)
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
