import { advisoryUrl } from "../../packages/advisories/advisories.ts";
import type { Finding } from "./audit.ts";
import { type Installed, pathOf } from "./tree.ts";

/** A tree can have a package in any number of places; this many are told. */
const mostPlaces = 100;

/** What Yarn 1 and old versions of npm read. */
export function treeAnswer(
  findings: readonly Finding[],
  { installed, origin }: { readonly installed: readonly Installed[]; readonly origin: string },
) {
  const told = findings.map((finding) => toldFinding(finding, installed));
  const vulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
  for (const { advisory, places } of told) vulnerabilities[advisory.severity] += places.length;
  const dev = installed.filter(({ isDev }) => isDev).length;
  return {
    actions: told.map(({ advisory, places }) => ({
      action: "review",
      module: advisory.package,
      resolves: places.map(({ path, isDev }) => ({
        id: advisory.id,
        path,
        dev: isDev,
        optional: false,
        bundled: false,
      })),
    })),
    advisories: Object.fromEntries(
      told.map((finding) => [finding.advisory.id, oldAdvisory(finding, origin)]),
    ),
    muted: [],
    metadata: {
      vulnerabilities,
      dependencies: installed.length - dev,
      devDependencies: dev,
      optionalDependencies: 0,
      totalDependencies: installed.length,
    },
  };
}

type Told = ReturnType<typeof toldFinding>;

function toldFinding({ advisory, versions }: Finding, installed: readonly Installed[]) {
  const places = installed
    .filter(({ name, version }) => name === advisory.package && versions.includes(version))
    .slice(0, mostPlaces)
    .map((place) => ({ version: place.version, isDev: place.isDev, path: pathOf(place) }));
  return { advisory, versions, places };
}

function oldAdvisory({ advisory, versions, places }: Told, origin: string) {
  return {
    id: advisory.id,
    module_name: advisory.package,
    title: advisory.title,
    overview: advisory.overview,
    severity: advisory.severity,
    vulnerable_versions: advisory.vulnerable_versions,
    // No version is below zero: so says npm that there is no patch.
    patched_versions: advisory.patched_versions ?? "<0.0.0",
    recommendation:
      advisory.patched_versions === null ? "" : `Install ${advisory.patched_versions}`,
    cwe: advisory.cwe.join(", "),
    cves: [],
    access: advisory.access,
    references: "",
    url: advisoryUrl(advisory, origin),
    created: advisory.created_at.toISOString(),
    updated: advisory.updated_at.toISOString(),
    deleted: null,
    findings: versions.map((version) => ({
      version,
      paths: places.filter((place) => place.version === version).map(({ path }) => path),
    })),
  };
}
