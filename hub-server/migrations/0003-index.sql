create extension if not exists pg_trgm;

-- The manifest of a version that holds an environment.
create table environments (
  version_id bigint primary key references versions (id) on delete cascade,
  manifest jsonb not null
);

-- One row per package that can be found: what the version says that 'latest' names. What a search asks of the package
-- stands here too, so that it reads one table.
create table search_entries (
  package_id bigint primary key references packages (id) on delete cascade,
  version_id bigint not null references versions (id),
  name text not null,
  owner text not null,
  is_public boolean not null,
  is_archived boolean not null,
  is_environment boolean not null,
  title text,
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
  -- The words that a person would misspell: of the name, tags, keywords, tools and scores.
  letters text not null
);
create index search_entries_words on search_entries using gin (words);
create index search_entries_letters on search_entries using gin (letters gin_trgm_ops);
