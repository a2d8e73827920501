import type { Advisory, PackageDetail } from "@envs/hub-client";
import { clean, formatTable, paint } from "@envs/terminal";
import semver from "semver";

/** A new advisory: the versions that it affects, its page, and the command that withdraws it. */
export function formatAdvisory(
  { id, package: name, title, severity, vulnerableVersions, url }: Advisory,
  versions: PackageDetail["versions"],
): string {
  const affected = versions
    .map(({ version }) => version)
    .filter((version) => semver.satisfies(version, vulnerableVersions));
  return [
    `${paint("bold", clean(name))} · ${severity}: ${clean(title)}`,
    `  affects      ${affected.join(", ") || paint("yellow", `no published version (${vulnerableVersions})`)}`,
    `  page         ${clean(url)}`,
    `  to withdraw  envs advisory withdraw ${clean(name)} ${id}`,
  ].join("\n");
}

/** The advisories of a package as a table. */
export function advisoryTable(name: string, advisories: readonly Advisory[]): string {
  if (advisories.length === 0) return `${clean(name)} has no advisories.`;
  const titles = ["id", "severity", "affects", "fixed in", "created", "title"];
  return formatTable(
    [titles.map((title) => paint("dim", title)), ...advisories.map(advisoryRow)],
    "text",
  );
}

function advisoryRow({
  id,
  severity,
  vulnerableVersions,
  patchedVersions,
  createdAt,
  title,
  withdrawnAt,
}: Advisory): readonly string[] {
  return [
    String(id),
    severity,
    vulnerableVersions,
    patchedVersions ?? "–",
    createdAt.slice(0, 10),
    withdrawnAt === null ? title : `(withdrawn) ${title}`,
  ].map(clean);
}
