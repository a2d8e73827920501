/** The schema of pg-boss's tables. */
export const jobSchema = "envs_jobs";

/** Workers listen for jobs, coordinators for results. */
export const channels = { jobs: "envs_queue_jobs", results: "envs_queue_results" } as const;

/** The tables of runs, results and workers. Every statement may run again. */
export const tables = `
  create schema if not exists envs_queue;

  create table if not exists envs_queue.runs (
    id uuid primary key,
    plan text not null,
    state text not null default 'open' check (state in ('open', 'cancelled', 'finished')),
    created_at timestamptz not null default now(),
    closed_at timestamptz,
    seen_at timestamptz not null default now()
  );

  create table if not exists envs_queue.results (
    run_id uuid not null references envs_queue.runs on delete cascade,
    group_id uuid not null,
    rollout_index integer not null,
    blob bytea,
    failure text,
    transaction xid8 not null default pg_current_xact_id(),
    sequence bigint not null generated always as identity,
    created_at timestamptz not null default now(),
    primary key (run_id, group_id, rollout_index),
    check ((blob is null) <> (failure is null))
  );
  create index if not exists results_in_order on envs_queue.results (run_id, transaction, sequence);

  create table if not exists envs_queue.blobs (
    run_id uuid not null references envs_queue.runs on delete cascade,
    hash bytea not null,
    content text not null,
    primary key (run_id, hash)
  );

  create table if not exists envs_queue.workers (
    id uuid primary key,
    report text not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
  );
  alter table envs_queue.workers add column if not exists held uuid[] not null default '{}';
`;

/** The queue of a run's jobs. */
export function jobsOf(runId: string): string {
  return `run-${runId}`;
}

/** The queue of the jobs that failed twenty times. */
export function deadJobsOf(runId: string): string {
  return `dead-${runId}`;
}
