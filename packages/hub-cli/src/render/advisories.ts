import type { Advisory, PackageDetail } from "@envs/hub-client";
import { clean, formatTable, paint } from "@envs/terminal";
import semver from "semver";

/** A new advisory: what it concerns, where it is read, and how to take it back. */
export function advisoryInWords(
  { id, package: name, title, severity, vulnerableVersions, url }: Advisory,
  versions: PackageDetail["versions"],
): string {
  const concerned = versions
    .map(({ version }) => version)
    .filter((version) => semver.satisfies(version, vulnerableVersions));
  return [
    `${paint("bold", clean(name))} · ${severity}: ${clean(title)}`,
    `  concerns     ${concerned.join(", ") || paint("yellow", `no version that is published (${vulnerableVersions})`)}`,
    `  to read it   ${clean(url)}`,
    `  to withdraw  envs advisory withdraw ${clean(name)} ${id}`,
  ].join("\n");
}

/** The advisories of a package, one a line. */
export function advisoryTable(name: string, advisories: readonly Advisory[]): string {
  if (advisories.length === 0) return `${clean(name)} has no advisories.`;
  const titles = ["id", "severity", "versions", "mended in", "made", "what"];
  return formatTable(
    [titles.map((title) => paint("dim", title)), ...advisories.map((each) => row(each))],
    "text",
  );
}

function row(advisory: Advisory): readonly string[] {
  const { id, severity, vulnerableVersions, patchedVersions, createdAt, title, withdrawnAt } =
    advisory;
  return [
    String(id),
    severity,
    vulnerableVersions,
    patchedVersions ?? "–",
    createdAt.slice(0, 10),
    withdrawnAt === null ? title : `(withdrawn) ${title}`,
  ].map(clean);
}
