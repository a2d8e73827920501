-- The bytes of an account's tarballs and runs, which triggers add up: a sum over all of them took longer with every version.
alter table accounts add column stored_bytes bigint not null default 0;

update accounts set stored_bytes =
  (select coalesce(sum(size), 0) from versions join packages on packages.id = package_id
    where owner_id = accounts.id and unpublished_at is null)
  + (select coalesce(sum(size), 0) from staged_versions where owner_id = accounts.id)
  + (select coalesce(sum(blob_bytes), 0) from run_parts join runs on runs.id = run_id
    where owner_id = accounts.id);

-- Each trigger adds or, with the argument -1, subtracts the rows of one statement.
create function count_versions() returns trigger language plpgsql as $$ begin
  update accounts set stored_bytes = stored_bytes + tg_argv[0]::bigint * total.bytes
    from (select owner_id, sum(size) as bytes from moved join packages on packages.id = package_id
      where unpublished_at is null group by owner_id) as total
    where accounts.id = total.owner_id; return null; end $$;
create trigger count_new after insert on versions referencing new table as moved
  for each statement execute function count_versions('1');
create trigger count_after_update after update on versions referencing new table as moved
  for each statement execute function count_versions('1');
create trigger count_before_update after update on versions referencing old table as moved
  for each statement execute function count_versions('-1');
create trigger count_deleted after delete on versions referencing old table as moved
  for each statement execute function count_versions('-1');

create function count_staged() returns trigger language plpgsql as $$ begin
  update accounts set stored_bytes = stored_bytes + tg_argv[0]::bigint * total.bytes
    from (select owner_id, sum(size) as bytes from moved group by owner_id) as total
    where accounts.id = total.owner_id; return null; end $$;
create trigger count_new after insert on staged_versions referencing new table as moved
  for each statement execute function count_staged('1');
create trigger count_deleted after delete on staged_versions referencing old table as moved
  for each statement execute function count_staged('-1');

create function count_parts() returns trigger language plpgsql as $$ begin
  update accounts set stored_bytes = stored_bytes + tg_argv[0]::bigint * total.bytes
    from (select owner_id, sum(blob_bytes) as bytes from moved join runs on runs.id = run_id
      where blob_bytes is not null group by owner_id) as total
    where accounts.id = total.owner_id; return null; end $$;
create trigger count_new after insert on run_parts referencing new table as moved
  for each statement execute function count_parts('1');
create trigger count_after_update after update on run_parts referencing new table as moved
  for each statement execute function count_parts('1');
create trigger count_before_update after update on run_parts referencing old table as moved
  for each statement execute function count_parts('-1');
create trigger count_deleted after delete on run_parts referencing old table as moved
  for each statement execute function count_parts('-1');

-- A deleted run takes its parts with it, and they no longer find its owner.
create function count_deleted_run() returns trigger language plpgsql as $$ begin
  update accounts set stored_bytes = stored_bytes
    - (select coalesce(sum(blob_bytes), 0) from run_parts where run_id = old.id)
    where id = old.owner_id; return old; end $$;
create trigger count_deleted before delete on runs
  for each row execute function count_deleted_run();

-- A package takes its versions to its new owner.
create function count_transfer() returns trigger language plpgsql as $$ begin
  update accounts set stored_bytes = stored_bytes
    + case id when new.owner_id then total.bytes else -total.bytes end
    from (select coalesce(sum(size), 0) as bytes from versions
      where package_id = new.id and unpublished_at is null) as total
    where id in (old.owner_id, new.owner_id); return null; end $$;
create trigger count_transfer after update of owner_id on packages
  for each row when (old.owner_id <> new.owner_id) execute function count_transfer();
