-- When a blob was last needed by somebody who named it nowhere: a publish that has yet to commit, a rejection that let it go.
-- The sweep of the store leaves young ones alone.
create table blob_claims (
  blob text primary key,
  claimed_at timestamptz not null
);

-- Whether a blob is named is all that is ever asked.
create index versions_blob on versions using hash (blob);
