-- Owners read the log of a package or an account, newest first.
create index events_package on events (package_id, sequence) where package_id is not null;
create index events_account on events (organisation_id, sequence) where organisation_id is not null;

alter table users add column is_moderator boolean not null default false;
-- Null: the quota of the hub.
alter table accounts add column quota_bytes bigint;

-- The decision of moderators about a package, which then cannot be installed. Its owners read it while it is quarantined.
alter table packages add column restriction text check (restriction in ('quarantined', 'taken-down'));
-- Set together with unpublished_at. The sweep keeps the tarball, because an appeal can restore the version.
alter table versions add column taken_down_at timestamptz;
create index versions_taken_down on versions (package_id) where taken_down_at is not null;

-- A run that is taken down keeps its rollouts, because an appeal can restore it.
alter table runs drop constraint runs_state_check;
alter table runs add check (state in ('uploading', 'complete', 'taken-down'));
alter table runs drop constraint runs_check;
alter table runs add check ((state = 'uploading') = (summary is null));

-- Decisions of moderators. Rows stay when the act ends, for the owners and the other moderators.
create table moderation_acts (
  id uuid primary key,
  kind text not null check (kind in ('quarantine', 'takedown', 'suspension')),
  target_kind text not null check (target_kind in ('package', 'version', 'run', 'user')),
  -- The id of the target's row, as text. The row may be deleted later.
  target_id text not null,
  -- The name of the target when the moderator decided, such as @envs/tictactoe@0.2.0.
  subject text not null,
  -- The account that may appeal.
  owner_id bigint references accounts (id) on delete set null,
  -- Public.
  reason text not null,
  -- Only for the owner and moderators.
  explanation text not null,
  moderator_id bigint references users (account_id) on delete set null,
  created_at timestamptz not null,
  -- When a suspension ends by itself.
  until timestamptz,
  ended_at timestamptz,
  ended_by bigint references users (account_id) on delete set null,
  appeal text,
  appealed_at timestamptz,
  appeal_outcome text check (appeal_outcome in ('granted', 'refused')),
  appeal_answer text,
  appeal_decided_by bigint references users (account_id) on delete set null
);
-- Two moderators who act at the same time make one act.
create unique index moderation_acts_active on moderation_acts (target_kind, target_id) where ended_at is null;
create index moderation_acts_target on moderation_acts (target_kind, target_id);
create index moderation_acts_owner on moderation_acts (owner_id);

-- Reports of users about packages, runs and users. A number of reports never causes an act by itself.
create table reports (
  id bigint generated always as identity primary key,
  reporter_id bigint references users (account_id) on delete set null,
  target_kind text not null check (target_kind in ('package', 'run', 'user')),
  target_id text not null,
  subject text not null,
  reason text not null,
  details text not null,
  created_at timestamptz not null,
  outcome text check (outcome in ('dismissed', 'acted')),
  decided_at timestamptz,
  decided_by bigint references users (account_id) on delete set null,
  check ((outcome is null) = (decided_at is null))
);
create unique index reports_open on reports (reporter_id, target_kind, target_id) where outcome is null;
create index reports_queue on reports (target_kind, target_id) where outcome is null;
create index reports_reporter on reports (reporter_id, created_at);
