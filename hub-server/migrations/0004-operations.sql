-- What happened, for ever: each row's hash covers the row before it.
create table events (
  sequence bigint primary key,
  at timestamptz not null,
  type text not null,
  actor text,
  subject text not null,
  detail jsonb not null,
  -- Private packages' events are told to those who may read the package.
  package_id bigint,
  -- What happens inside an organisation is told to its members.
  organisation_id bigint,
  previous_hash text not null,
  hash text not null
);

create table webhooks (
  id uuid primary key,
  account_id bigint not null references accounts (id) on delete cascade,
  package_id bigint references packages (id) on delete cascade,
  url text not null,
  secret text not null,
  types text[] not null default '{}',
  -- The last event that was looked at for it.
  cursor bigint not null,
  created_by bigint references users (account_id),
  created_at timestamptz not null,
  disabled_at timestamptz
);

create table webhook_deliveries (
  webhook_id uuid not null references webhooks (id) on delete cascade,
  sequence bigint not null references events (sequence),
  attempts int not null default 0,
  status int,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  primary key (webhook_id, sequence)
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where delivered_at is null;

-- Secrets of the hub itself, made on its first start.
create table secrets (
  name text primary key,
  value text not null
);

-- Guesses at secrets, counted across replicas: after the first few, each waits longer for the next.
create table attempts (
  key text primary key,
  points int not null,
  next_at timestamptz not null,
  expires_at timestamptz not null
);
create index attempts_expires on attempts (expires_at);
