import type { RunStatus } from "../queue.ts";
import type { Database } from "./database.ts";
import { jobSchema } from "./schema.ts";

/** The open runs of a database, oldest first. */
export async function openRuns(database: Database): Promise<readonly RunStatus[]> {
  const rows = await database.query(`
    select runs.id, runs.plan, extract(epoch from now() - runs.created_at) * 1000 as age, jobs.*,
      (select count(*) from envs_queue.results where run_id = runs.id) as arrived
    from envs_queue.runs, lateral (
      select count(*) filter (where state in ('created', 'retry')) as waiting,
        count(*) filter (where state = 'active') as leased,
        count(*) filter (where state = 'failed') as failed,
        extract(epoch from now() - min(created_on) filter (where state in ('created', 'retry'))) * 1000 as lag
      from ${jobSchema}.job where name = 'run-' || runs.id
    ) as jobs
    where runs.state = 'open' order by runs.created_at
  `);
  return rows.map(({ id, plan, age, waiting, leased, failed, arrived, lag }) => ({
    id: String(id),
    plan: String(plan),
    ageMs: Number(age),
    waiting: Number(waiting),
    leased: Number(leased),
    failed: Number(failed),
    arrived: Number(arrived),
    lagMs: Math.max(0, Number(lag ?? 0)),
  }));
}
