import * as z from "zod";

import { advisoryUrl } from "../../packages/advisories/advisories.ts";
import type { Finding } from "./audit.ts";

/** The request of Yarn 1 and old versions of npm: the tree of installed packages. */
export const treeRequest = z.object({
  dependencies: z.record(z.string(), z.unknown()).default({}),
});

/** A package in the tree. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly isDev: boolean;
  readonly parent: InstalledPackage | undefined;
}

const subtree = z.object({
  version: z.string().catch(""),
  dev: z.boolean().catch(false),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
});

/** Iterates without recursion, because a tree can be as deep as the body is long. */
export function* installedPackages(
  tree: z.output<typeof treeRequest>,
): Generator<InstalledPackage> {
  const stack: {
    parent: InstalledPackage | undefined;
    dependencies: Readonly<Record<string, unknown>>;
  }[] = [{ parent: undefined, dependencies: tree.dependencies }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop())
    for (const [name, value] of Object.entries(next.dependencies)) {
      const { version, dev, dependencies } = subtree.parse(value ?? {});
      const installed = { name, version, isDev: dev, parent: next.parent };
      yield installed;
      stack.push({ parent: installed, dependencies });
    }
}

/** Limits the response: a tree can contain one package at any number of paths. */
const maxPathsPerAdvisory = 100;

/** The response for Yarn 1 and old versions of npm. */
export function treeResponse(
  findings: readonly Finding[],
  {
    installed,
    origin,
  }: { readonly installed: readonly InstalledPackage[]; readonly origin: string },
) {
  const reports = findings.map((finding) => locateFinding(finding, installed));
  const vulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
  for (const { advisory, locations } of reports)
    vulnerabilities[advisory.severity] += locations.length;
  const dev = installed.filter(({ isDev }) => isDev).length;
  return {
    actions: reports.map(({ advisory, locations }) => ({
      action: "review",
      module: advisory.package,
      resolves: locations.map(({ path, isDev }) => ({
        id: advisory.id,
        path,
        dev: isDev,
        optional: false,
        bundled: false,
      })),
    })),
    advisories: Object.fromEntries(
      reports.map((finding) => [finding.advisory.id, legacyAdvisory(finding, origin)]),
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

type LocatedFinding = ReturnType<typeof locateFinding>;

function locateFinding({ advisory, versions }: Finding, installed: readonly InstalledPackage[]) {
  const locations = installed
    .filter(({ name, version }) => name === advisory.package && versions.includes(version))
    .slice(0, maxPathsPerAdvisory)
    .map((package_) => ({
      version: package_.version,
      isDev: package_.isDev,
      path: pathOf(package_),
    }));
  return { advisory, versions, locations };
}

function legacyAdvisory({ advisory, versions, locations }: LocatedFinding, origin: string) {
  return {
    id: advisory.id,
    module_name: advisory.package,
    title: advisory.title,
    overview: advisory.overview,
    severity: advisory.severity,
    vulnerable_versions: advisory.vulnerable_versions,
    // npm's notation for an advisory without a patched version.
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
      paths: locations.filter((location) => location.version === version).map(({ path }) => path),
    })),
  };
}

/** The names from the root to a package, as clients print them. */
function pathOf(installed: InstalledPackage): string {
  const names: string[] = [];
  for (
    let package_: InstalledPackage | undefined = installed;
    package_ !== undefined;
    package_ = package_.parent
  )
    names.push(package_.name);
  return names.toReversed().join(">");
}
