-- Runs that users declared before their first rollout. Rows stay when their run is deleted, so that a board can count them.
create table declarations (
  -- The nonce: random, and the source of the seed.
  id text primary key,
  owner_id bigint not null references users (account_id),
  package_id bigint not null references packages (id),
  version_id bigint not null references versions (id),
  model text not null,
  seed bigint not null,
  -- The whole recipe as it was declared.
  recipe jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When its run was complete.
  completed_at timestamptz
);
create index declarations_package on declarations (package_id, owner_id, model);
create index declarations_owner on declarations (owner_id);

alter table runs add column declaration_id text references declarations (id);
-- The hash of split, selection and number of examples: boards have runs with the same one.
alter table runs add column sample text not null default '';
create unique index runs_declaration on runs (declaration_id) where state = 'complete';
drop index runs_board;
create index runs_board on runs (package_id, version_id, config_hash, sample) where state = 'complete';
