-- Owners read the log of a package or an account, newest first.
create index events_package on events (package_id, sequence) where package_id is not null;
create index events_account on events (organisation_id, sequence) where organisation_id is not null;
