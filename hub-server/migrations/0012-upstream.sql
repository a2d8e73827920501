-- The documents of packages of other registries and hubs, as this hub received them last.
create table upstream_packages (
  name text primary key,
  origin text not null,
  etag text,
  -- Text, because jsonb would parse megabytes for each read. Null: the upstream does not have the package.
  document text,
  checked_at timestamptz not null
);

-- The stored tarballs of other registries and hubs. An upstream cannot change a version that is listed here.
create table upstream_tarballs (
  name text not null,
  version text not null,
  integrity text not null,
  shasum text not null,
  -- SHA-512 of the tarball in hex: its name in the blob store.
  blob text not null,
  size bigint not null,
  fetched_at timestamptz not null,
  primary key (name, version)
);
create index upstream_tarballs_blob on upstream_tarballs using hash (blob);

-- The last event of each mirrored hub whose packages are copied.
create table mirrors (
  origin text primary key,
  sequence bigint not null,
  hash text not null,
  -- The replica that copies packages renews it; others wait until it has expired.
  lease_until timestamptz not null
);
