create extension if not exists pg_trgm;

-- The manifest of a version that holds an environment.
create table environments (
  version_id bigint primary key references versions (id) on delete cascade,
  manifest jsonb not null
);

-- One row per package that can be found: what its newest version says.
create table search_entries (
  package_id bigint primary key references packages (id) on delete cascade,
  version_id bigint not null references versions (id),
  is_environment boolean not null,
  name text not null,
  description text not null,
  kind text,
  tags text[] not null default '{}',
  keywords text[] not null default '{}',
  tools text[] not null default '{}',
  scores text[] not null default '{}',
  -- Sums that the sort orders need; kept by whoever changes them.
  downloads bigint not null default 0,
  stars int not null default 0,
  published_at timestamptz not null,
  words tsvector not null,
  -- Name, description and tags, for misspelt words.
  letters text not null
);
create index search_entries_words on search_entries using gin (words);
create index search_entries_letters on search_entries using gin (letters gin_trgm_ops);
create index search_entries_tags on search_entries using gin (tags);
create index search_entries_tools on search_entries using gin (tools);
