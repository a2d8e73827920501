-- npm reads the npm-shrinkwrap.json of a tarball only if the packument has _hasShrinkwrap. The hub no longer accepts such
-- tarballs; for the stored ones, it omits the field, so that npm installs the dependencies of package.json.
update packages set revision = revision + 1
where id in (select package_id from versions where manifest ? '_hasShrinkwrap');
update search_entries
set deprecated = coalesce(
  deprecated, 'Its npm-shrinkwrap.json can install packages from outside the registry. Use a version without it.'
)
where version_id in (select id from versions where manifest ? '_hasShrinkwrap');
update versions
set deprecated = coalesce(
  deprecated, 'Its npm-shrinkwrap.json can install packages from outside the registry. Use a version without it.'
),
manifest = manifest - '_hasShrinkwrap'
where manifest ? '_hasShrinkwrap';
