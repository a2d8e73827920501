create extension if not exists pg_trgm;

-- The manifest of a version that contains an environment. Not jsonb, which would sort its keys: the options of a config
-- are in the author's order.
create table environments (
  version_id bigint primary key references versions (id) on delete cascade,
  manifest json not null
);

-- A row for each package that a search can find, with the facts of its latest version. Searches read only this table.
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
  -- Sums for the sort orders. Each change of a download or a star updates them.
  downloads bigint not null default 0,
  stars int not null default 0,
  -- How many versions are not unpublished, for the statistics of the hub.
  versions int not null default 0,
  published_at timestamptz not null,
  -- For ranks: the name (A), the tags, keywords, tools and scores (B), the descriptions (C). Short, so that reads are fast.
  words tsvector not null,
  -- For matches: the same and the README, without positions.
  text tsvector not null,
  -- Facets: what an environment needs, the protocols of trainers that can use it, and its licence.
  needs text[] not null default '{}',
  protocols text[] not null default '{}',
  license text
);
-- Only a vacuum, which the embedded database does not have, would empty the list of rows that are not indexed yet.
create index search_entries_text on search_entries using gin (text) with (fastupdate = off);

-- Words that a search suggests for a misspelt one.
create table search_words (
  word text primary key
);
create index search_words_letters on search_words using gin (word gin_trgm_ops) with (fastupdate = off);

-- READMEs, source files and diffs as HTML. The key is a hash of what was rendered and how; a lost row costs only time.
create table renderings (
  key text primary key,
  result text not null,
  rendered_at timestamptz not null
);
create index renderings_age on renderings (rendered_at);

-- Published versions whose pages the hub has not rendered yet.
create table unrendered_versions (
  version_id bigint primary key references versions (id) on delete cascade
);
