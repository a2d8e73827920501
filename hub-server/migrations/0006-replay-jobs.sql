-- Replays of stored rollouts through published bundles, which worker processes run.
create table replay_jobs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('rescore', 'diff')),
  -- The run to rescore.
  run_id text references runs (id) on delete cascade,
  -- The versions to compare.
  from_version_id bigint references versions (id) on delete cascade,
  to_version_id bigint references versions (id) on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'running', 'done')),
  -- A hub that takes a job leases it: another one takes it over when the hub does not renew the lease.
  lease_until timestamptz,
  attempts int not null default 0,
  -- Null until the job is done.
  result jsonb,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((kind = 'rescore') = (run_id is not null)),
  check ((kind = 'diff') = (from_version_id is not null and to_version_id is not null)),
  check ((state = 'done') = (result is not null)),
  unique (run_id),
  unique (from_version_id, to_version_id)
);
create index replay_jobs_open on replay_jobs (created_at) where state <> 'done';
