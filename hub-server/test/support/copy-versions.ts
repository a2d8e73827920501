import { readSettings } from "@envs/hub-server/src/platform/config/read-settings.ts";
import { openFoundations } from "@envs/hub-server/src/platform/hub/foundations.ts";

/*
 * node copy-versions.ts <data folder of a stopped hub> <versions of each package>
 *
 * Copies the rows of each package's only version, moves the tag latest to the last copy, and adds the downloads of a month.
 * Publishing as many versions would take hours.
 */
const [folder = "", count = "10"] = process.argv.slice(2);
const last = Number(count) - 1;

const { connection } = await openFoundations(readSettings({ HUB_DATA: folder }));
await connection.execute(`
  begin;
  insert into versions (
    package_id, version, manifest, readme, readme_file, shasum, integrity, blob, size, unpacked_size, file_count,
    signatures, published_by, published_at
  )
  select package_id, '1.' || minor || '.0', manifest || jsonb_build_object('version', '1.' || minor || '.0'),
    readme, readme_file, shasum, integrity, blob, size, unpacked_size, file_count, signatures, published_by,
    published_at + minor * interval '1 second'
  from versions cross join generate_series(1, ${last}) as minor;

  create temporary table copies on commit drop as
    select first.id as first_id, copy.id, copy.package_id, copy.published_at, copy.version = '1.${last}.0' as is_latest
    from versions as first join versions as copy using (package_id)
    where first.version = '1.0.0' and copy.version <> '1.0.0';

  insert into files select copies.id, path, size, sha256 from files join copies on first_id = version_id;
  insert into environments select copies.id, manifest from environments join copies on first_id = version_id;
  insert into unrendered_versions select id from copies;
  update dist_tags set version_id = copies.id from copies where copies.package_id = dist_tags.package_id and is_latest;
  insert into downloads (version_id, day, count)
    select id, current_date - day, 1 + (id * 7919 + day * 31) % 50 from copies cross join generate_series(0, 29) as day
    where is_latest;
  update search_entries set version_id = copies.id, published_at = copies.published_at, versions = ${last + 1},
    downloads = (select sum(count) from downloads where version_id = copies.id)
    from copies where copies.package_id = search_entries.package_id and is_latest;
  commit`);
await connection.close();
