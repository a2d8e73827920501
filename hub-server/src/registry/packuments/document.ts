import semver from "semver";

import { revisionText } from "../../access/changes/change-package.ts";
import type { PackageSource, VersionSource } from "./source.ts";

/** The fields of package.json that an installation needs. */
export const installFields = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bin",
  "directories",
  "engines",
  "os",
  "cpu",
  "libc",
  "funding",
  "acceptDependencies",
] as const;

/** The fields of package.json that a packument copies from the latest version. */
const packageFields = [
  "description",
  "keywords",
  "license",
  "author",
  "homepage",
  "repository",
  "bugs",
] as const;

type Document = Readonly<Record<string, unknown>>;

/** The full packument. */
export function fullDocument(
  source: PackageSource,
  { origin, readme }: { readonly origin: string; readonly readme: string },
): Document {
  const { name, stars } = source;
  const latest = latestOf(source);
  return {
    _id: name,
    _rev: revisionText(source),
    name,
    "dist-tags": tagsOf(source),
    versions: versionsOf(source, (version) => fullVersion(source, version, origin)),
    time: timeOf(source),
    maintainers: source.maintainers.map(person),
    users: Object.fromEntries(stars.map((user) => [user.name, true])),
    ...(latest !== undefined && pick(latest.manifest, packageFields)),
    readme,
    readmeFilename: latest?.readme_file ?? "",
    _attachments: {},
  };
}

/** The abbreviated packument, with the times, without which clients request the full packument as well. */
export function abbreviatedDocument(source: PackageSource, origin: string): Document {
  return {
    name: source.name,
    modified: source.modified_at.toISOString(),
    "dist-tags": tagsOf(source),
    versions: versionsOf(source, (version) => ({
      name: source.name,
      version: version.version,
      ...pick(version.manifest, installFields),
      ...deprecation(version),
      dist: distOf(source.name, version, origin),
    })),
    time: timeOf(source),
  };
}

/** Finds a version by its number or a dist-tag. */
export function versionDocument(
  source: PackageSource,
  { selector, origin }: { readonly selector: string; readonly origin: string },
): Document | undefined {
  const tags = tagsOf(source);
  const number = Object.hasOwn(tags, selector) ? tags[selector] : selector;
  const version = visible(source).find(({ version }) => version === number);
  return version && fullVersion(source, version, origin);
}

/** The dist-tags of visible versions. */
export function tagsOf(source: PackageSource): Readonly<Record<string, string>> {
  const versions = new Set(visible(source).map(({ version }) => version));
  const tags = source.tags.filter(({ version }) => versions.has(version));
  const latest = latestOf(source);
  return {
    ...(latest !== undefined && { latest: latest.version }),
    ...Object.fromEntries(tags.map(({ tag, version }) => [tag, version])),
  };
}

/** The version that clients install by default: the one that `latest` points to, or, if it is yanked, the highest. */
export function latestOf(source: PackageSource): VersionSource | undefined {
  const versions = visible(source);
  const tagged = source.tags.find(({ tag }) => tag === "latest")?.version;
  const latest = versions.find(({ version }) => version === tagged);
  if (latest !== undefined) return latest;
  const descending = versions.toSorted((a, b) => semver.rcompare(a.version, b.version));
  return descending.find(({ version }) => semver.prerelease(version) === null) ?? descending[0];
}

function visible({ versions }: PackageSource): readonly VersionSource[] {
  return versions.filter(({ yanked_at }) => yanked_at === null);
}

function versionsOf(
  source: PackageSource,
  documentOf: (version: VersionSource) => Document,
): Readonly<Record<string, Document>> {
  return Object.fromEntries(
    visible(source).map((version) => [version.version, documentOf(version)]),
  );
}

function fullVersion({ name }: PackageSource, version: VersionSource, origin: string): Document {
  return {
    name,
    version: version.version,
    ...version.manifest,
    ...deprecation(version),
    _id: `${name}@${version.version}`,
    ...(version.publisher !== null && { _npmUser: person(version.publisher) }),
    dist: distOf(name, version, origin),
  };
}

function distOf(name: string, version: VersionSource, origin: string): Document {
  return {
    integrity: version.integrity,
    shasum: version.shasum,
    tarball: `${origin}/${name}/-/${tarballFile(name, version.version)}`,
    fileCount: version.file_count,
    unpackedSize: version.unpacked_size,
    signatures: version.signatures,
    ...attestationsOf(name, version, origin),
  };
}

function attestationsOf(name: string, { version, attested }: VersionSource, origin: string) {
  if (attested === null) return {};
  const provenance = attested.find((type) => type.startsWith("https://slsa.dev/provenance/"));
  const url = `${origin}/-/npm/v1/attestations/${name.replace("/", "%2f")}@${version}`;
  const predicate = provenance !== undefined && { provenance: { predicateType: provenance } };
  return { attestations: { url, ...predicate } };
}

/** The file name of a version's tarball, which lacks the scope. */
export function tarballFile(name: string, version: string): string {
  return `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
}

/** Includes yanked versions, because lockfiles may still refer to them. */
function timeOf({ created_at, modified_at, versions }: PackageSource): Document {
  return {
    created: created_at.toISOString(),
    modified: modified_at.toISOString(),
    ...Object.fromEntries(
      versions.map(({ version, published_at }) => [version, new Date(published_at).toISOString()]),
    ),
  };
}

function deprecation({ deprecated }: VersionSource): Document {
  return deprecated === null ? {} : { deprecated };
}

function person({ name, email }: { readonly name: string; readonly email: string | null }) {
  return { name, email: email ?? "" };
}

/** The fields of a package.json that it has. */
export function pick(manifest: Document, fields: readonly string[]): Document {
  return Object.fromEntries(
    fields
      .filter((field) => manifest[field] !== undefined)
      .map((field) => [field, manifest[field]]),
  );
}
