create table packages (
  id bigint generated always as identity primary key,
  name text not null unique,
  -- '' for a package without scope.
  scope text not null,
  owner_id bigint not null references accounts (id),
  -- Names that look alike have a key in common.
  similarity_keys text[] not null default '{}',
  access text not null default 'public' check (access in ('public', 'restricted')),
  requires_2fa boolean not null default false,
  -- Whether tokens that bypass the second factor bypass it for this package, too.
  allows_bypass_2fa boolean not null default true,
  -- The number of changes, which `_rev` of the packument contains.
  revision bigint not null default 1,
  archived_at timestamptz,
  created_at timestamptz not null,
  modified_at timestamptz not null
);
create index packages_owner on packages (owner_id);
-- Without a list of rows that are not indexed yet, which each lookup reads and only a vacuum empties.
create index packages_similarity on packages using gin (similarity_keys) with (fastupdate = off);

create table package_users (
  package_id bigint not null references packages (id) on delete cascade,
  user_id bigint not null references users (account_id) on delete cascade,
  permission text not null check (permission in ('read', 'write')),
  -- npm's `owner` commands list the maintainers.
  is_maintainer boolean not null default false,
  primary key (package_id, user_id)
);
create index package_users_user on package_users (user_id);

create table team_packages (
  team_id bigint not null references teams (id) on delete cascade,
  package_id bigint not null references packages (id) on delete cascade,
  permission text not null check (permission in ('read', 'write')),
  primary key (team_id, package_id)
);
create index team_packages_package on team_packages (package_id);

create table versions (
  id bigint generated always as identity primary key,
  package_id bigint not null references packages (id),
  version text not null,
  -- package.json as it is served, without `dist`.
  manifest jsonb not null,
  manifest_bytes int not null generated always as (octet_length(manifest::text)) stored,
  readme text not null default '',
  readme_file text not null default '',
  shasum text not null,
  integrity text not null,
  -- SHA-512 of the tarball in hex: its name in the blob store.
  blob text not null,
  size bigint not null,
  unpacked_size bigint not null,
  file_count int not null,
  signatures jsonb not null default '[]',
  deprecated text,
  -- Packuments omit a yanked version; lockfiles still install it.
  yanked_at timestamptz,
  -- The number of an unpublished version cannot be used again.
  unpublished_at timestamptz,
  published_by bigint references users (account_id),
  published_at timestamptz not null,
  unique (package_id, version)
);
create index versions_published on versions (published_at);
create index versions_publisher on versions (published_by, published_at);
-- Queries only ask whether a version has a blob.
create index versions_blob on versions using hash (blob);

create table files (
  version_id bigint not null references versions (id) on delete cascade,
  path text not null,
  size bigint not null,
  sha256 text not null,
  primary key (version_id, path)
);

create table dist_tags (
  package_id bigint not null references packages (id) on delete cascade,
  tag text not null,
  version_id bigint not null references versions (id),
  primary key (package_id, tag)
);

create table attestations (
  version_id bigint not null references versions (id) on delete cascade,
  predicate_type text not null,
  bundle jsonb not null,
  primary key (version_id, predicate_type)
);

create table stars (
  package_id bigint not null references packages (id) on delete cascade,
  user_id bigint not null references users (account_id) on delete cascade,
  created_at timestamptz not null,
  primary key (package_id, user_id)
);
create index stars_user on stars (user_id);

create table downloads (
  version_id bigint not null references versions (id) on delete cascade,
  day date not null,
  count bigint not null,
  primary key (version_id, day)
);

create table staged_versions (
  id uuid primary key,
  name text not null,
  version text not null,
  tag text not null,
  access text,
  blob text not null,
  shasum text not null,
  size bigint not null,
  attestations jsonb not null default '[]',
  -- Only the client knows these facts about how the version was built.
  hints jsonb not null default '{}',
  -- The account that owns the package, or will own it.
  owner_id bigint not null references accounts (id),
  staged_by bigint references users (account_id),
  actor_type text not null default 'user',
  created_at timestamptz not null,
  unique (name, version)
);

-- The builds that may publish a package. By its name, because the first version may not exist yet.
create table trusted_publishers (
  id uuid primary key,
  name text not null,
  type text not null check (type in ('github', 'gitlab', 'circleci')),
  claims jsonb not null,
  -- The ids that the names of repository and owner had at first use: another owner can get a name, but not an id.
  pinned_claims jsonb,
  permissions text[] not null,
  created_by bigint not null references users (account_id),
  created_at timestamptz not null
);
create index trusted_publishers_name on trusted_publishers (name);

-- Removing a trusted publisher revokes its tokens.
alter table tokens add column trusted_publisher_id uuid references trusted_publishers (id) on delete cascade;

-- A build can exchange each id token once for each package.
create table used_id_tokens (
  issuer text not null,
  jti text not null,
  name text not null,
  expires_at timestamptz not null,
  primary key (issuer, jti, name)
);

create table signing_keys (
  keyid text primary key,
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null,
  expires_at timestamptz
);

create table advisories (
  id bigint generated always as identity primary key,
  package_id bigint not null references packages (id),
  title text not null,
  overview text not null default '',
  severity text not null check (severity in ('info', 'low', 'moderate', 'high', 'critical')),
  vulnerable_versions text not null,
  patched_versions text,
  cwe text[] not null default '{}',
  created_by bigint references users (account_id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  withdrawn_at timestamptz
);
create index advisories_package on advisories (package_id);
