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
  deprecated text,
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
  -- What ranks: the name (A), the tags, keywords, tools and scores (B), the descriptions (C). Short, to be read quickly.
  words tsvector not null,
  -- What is found: the same and the README, without places.
  text tsvector not null
);
-- Nothing empties the list of what is not indexed yet but the vacuum, which the embedded database does not have.
create index search_entries_text on search_entries using gin (text) with (fastupdate = off);

-- Words that a misspelt one may stand for.
create table search_words (
  word text primary key
);
create index search_words_letters on search_words using gin (word gin_trgm_ops) with (fastupdate = off);
