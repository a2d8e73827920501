-- The account whose time a replay uses: the user who pushed the run, or the owner of the compared versions.
alter table replay_jobs add column owner_id bigint references accounts (id) on delete cascade;
update replay_jobs set owner_id = coalesce(
  (select runs.owner_id from runs where runs.id = run_id),
  (
    select packages.owner_id from versions join packages on packages.id = versions.package_id
    where versions.id = from_version_id
  )
);
alter table replay_jobs alter column owner_id set not null;
create index replay_jobs_owner on replay_jobs (owner_id) where state <> 'done';

-- The time of each account's replays on a day (UTC).
create table replay_usage (
  owner_id bigint not null references accounts (id) on delete cascade,
  day text not null,
  milliseconds bigint not null,
  primary key (owner_id, day)
);
