-- The event log, which is never pruned. Each row's hash covers the row before it.
create table events (
  sequence bigint primary key,
  at timestamptz not null,
  type text not null,
  actor text,
  subject text not null,
  detail jsonb not null,
  -- Only readers of a private package see its events.
  package_id bigint,
  -- Only members of an organisation see its events.
  organisation_id bigint,
  previous_hash text not null,
  hash text not null
);

-- Secrets of the hub itself, which its first start creates.
create table secrets (
  name text primary key,
  value text not null
);

-- Guesses at secrets, counted across replicas. After the first few, the delay before the next one grows.
create table attempts (
  key text primary key,
  points int not null,
  next_at timestamptz not null,
  expires_at timestamptz not null
);
create index attempts_expires on attempts (expires_at);

-- When a change last needed a blob that no row names: a publish before its commit, or a rejection. The sweep of the store
-- keeps blobs with a recent claim.
create table blob_claims (
  blob text primary key,
  claimed_at timestamptz not null
);
