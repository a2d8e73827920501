import { formatTable, paint } from "@envs/cli/kit";

import type { PublishedPackage } from "./published-package.ts";
import { warningsOf } from "./version-warnings.ts";

/** The warnings about a version, a line each. The package must be cleaned with `cleanJson`. */
export function formatWarnings(published: PublishedPackage): readonly string[] {
  return warningsOf(published).map((warning) => paint("yellow", `! ${warning}`));
}

/** A table of the hub's data: owner, versions, downloads. The package must be cleaned with `cleanJson`. */
export function formatPackageFacts({
  package: { owner, access, versions, tags, downloads, stars, license },
  version,
  install,
}: PublishedPackage): string {
  const lastMonth = downloads.days.reduce((sum, { count }) => sum + count, 0);
  const publisher = version.publishedBy === null ? "" : ` by ${version.publishedBy}`;
  const tagged = Object.entries(tags).map(([tag, taggedVersion]) => `${tag} ${taggedVersion}`);
  const yankedCount = versions.filter(({ isYanked }) => isYanked).length;
  const count = `${versions.length}${yankedCount === 0 ? "" : ` (${yankedCount} yanked)`}`;
  const rows: readonly (readonly [name: string, text: string])[] = [
    ...(version.isYanked ? [] : [["install", install] as const]),
    ["published", `${version.publishedAt.slice(0, 10)}${publisher}, ${formatBytes(version.size)}`],
    ["versions", [count, tagged.join(", ")].filter((text) => text !== "").join(": ")],
    ["owner", owner.kind === "organisation" ? `${owner.name}, an organisation` : owner.name],
    ["access", access === "restricted" ? "private" : "public"],
    [
      "downloads",
      `${downloads.total.toLocaleString("en")}, ${lastMonth.toLocaleString("en")} in 30 days`,
    ],
    ["stars", stars.toLocaleString("en")],
    ...(license === null ? [] : [["license", license] as const]),
  ];
  return formatTable(
    rows.map(([name, text]) => [paint("dim", name), text]),
    "text",
  );
}

function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
