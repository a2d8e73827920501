import type { UpstreamDocument, UpstreamVersion } from "../../upstream/document.ts";
import { installFields, pick, tarballFile } from "./document.ts";

type Document = Readonly<Record<string, unknown>>;

/** The full packument of an upstream's package, with tarballs on this hub. */
export function fullOfUpstream(document: UpstreamDocument, origin: string): Document {
  return {
    _id: document.name,
    ...document,
    versions: mapVersions(document, (version) => ({ ...version, dist: distOf(version, origin) })),
  };
}

/** Upstreams have packages with install scripts and bundled dependencies, about which clients need to know. */
const upstreamFields = [
  ...installFields,
  "hasInstallScript",
  "_hasShrinkwrap",
  "bundleDependencies",
];

/** The abbreviated packument of an upstream's package. */
export function abbreviatedOfUpstream(document: UpstreamDocument, origin: string): Document {
  const { name, "dist-tags": tags, time } = document;
  return {
    name,
    modified: time["modified"],
    "dist-tags": tags,
    versions: mapVersions(document, (version) => ({
      name,
      version: version.version,
      ...pick(version, [...upstreamFields, "deprecated"]),
      dist: distOf(version, origin),
    })),
    time,
  };
}

/** A version by its number or a dist-tag. */
export function versionOfUpstream(
  { "dist-tags": tags, versions }: UpstreamDocument,
  selector: string,
  origin: string,
): Document | undefined {
  const number = (Object.hasOwn(tags, selector) ? tags[selector] : undefined) ?? selector;
  const version = Object.hasOwn(versions, number) ? versions[number] : undefined;
  return version && { ...version, dist: distOf(version, origin) };
}

function mapVersions(
  { versions }: UpstreamDocument,
  documentOf: (version: UpstreamVersion) => Document,
): Document {
  return Object.fromEntries(
    Object.entries(versions).map(([number, version]) => [number, documentOf(version)]),
  );
}

/** Without the upstream's attestations, which are not on this hub. */
function distOf({ name, version, dist }: UpstreamVersion, origin: string): Document {
  return {
    ...pick(dist, ["integrity", "shasum", "fileCount", "unpackedSize", "signatures"]),
    tarball: `${origin}/${name}/-/${tarballFile(name, version)}`,
  };
}
