-- When the hub deletes the account, unless its user signs in before, and whether its runs go with it.
alter table users
  add column delete_at timestamptz,
  add column deletes_runs boolean not null default false;
create index users_delete_at on users (delete_at) where delete_at is not null;
