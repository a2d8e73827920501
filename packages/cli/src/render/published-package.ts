import type { Message } from "@envs/core";
import { type PublishedPackage, packageWarnings } from "@envs/hub-cli/queries";
import type { EnvironmentManifest } from "@envs/hub-client";
import { cleanJson, formatTable, paint } from "@envs/terminal";

import { optionsOfSchema } from "../environments/config-options.ts";
import {
  environmentHead,
  environmentSections,
  heading,
  type EnvironmentView,
} from "./environment.ts";

/** Formats a package on a hub: its description, warnings, versions and owner, and its environment if it has one. */
export function publishedPackageText(published: PublishedPackage, columns = Infinity): string {
  const safe = cleanJson(published);
  const { environment } = safe.version;
  const view = environment === null ? undefined : environmentView(environment);
  return [
    ...(view === undefined
      ? plainHead(safe)
      : environmentHead({ ...view, name: safe.package.name })),
    ...warningLines(safe),
    heading("on the hub"),
    publicationTable(safe),
    ...(view === undefined ? [] : environmentSections(view, columns)),
  ].join("\n");
}

function plainHead({
  package: { name, description },
  version,
}: PublishedPackage): readonly string[] {
  return [
    `${paint("bold", name)} ${paint("dim", version.version)}`,
    description,
    paint("dim", "not an environment"),
  ];
}

function warningLines(published: PublishedPackage): readonly string[] {
  const lines = packageWarnings(published).map((line) => paint("yellow", `! ${line}`));
  return lines.length === 0 ? [] : ["", ...lines];
}

function publicationTable({ package: info, version, install }: PublishedPackage): string {
  const { owner, access, versions, tags, downloads, stars, license } = info;
  const recentDownloads = downloads.days.reduce((sum, { count }) => sum + count, 0);
  const date = version.publishedAt.slice(0, 10);
  const publisher = version.publishedBy === null ? "" : ` by ${version.publishedBy}`;
  const tagTexts = Object.entries(tags).map(([tag, tagVersion]) => `${tag} ${tagVersion}`);
  const yanked = versions.filter(({ isYanked }) => isYanked).length;
  const versionCount = `${versions.length}${yanked === 0 ? "" : ` (${yanked} yanked)`}`;
  const rows: [string, string][] = [
    ...(version.isYanked ? [] : ([["install", install]] as [string, string][])),
    ["published", `${date}${publisher}, ${bytes(version.size)}`],
    ["versions", [versionCount, tagTexts.join(", ")].filter((text) => text !== "").join(": ")],
    ["owner", owner.kind === "organisation" ? `${owner.name}, an organisation` : owner.name],
    ["access", access === "restricted" ? "private" : "public"],
    [
      "downloads",
      `${downloads.total.toLocaleString("en")}, ${recentDownloads.toLocaleString("en")} in 30 days`,
    ],
    ["stars", stars.toLocaleString("en")],
    ...(license === null ? [] : ([["license", license]] as [string, string][])),
  ];
  return formatTable(
    rows.map(([name, text]) => [paint("dim", name), text]),
    "text",
  );
}

function environmentView(manifest: EnvironmentManifest): EnvironmentView {
  const { name, description, tags, kind, tools, splits, policies, opponent, maxTurns } = manifest;
  const { policy, reward, messages } = manifest.example;
  return {
    name,
    version: manifest.package.version,
    description,
    tags,
    kind,
    config: optionsOfSchema(manifest.config),
    scores: manifest.scores.map(({ name, weight, isGroup, description, range }) => ({
      name,
      weight,
      isGroup,
      ...(description !== undefined && { description }),
      ...(range !== undefined && { range }),
    })),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.input,
    })),
    dataset: splits.map(splitText).join(", "),
    policies,
    opponent,
    maxTurns,
    example: { policy, reward, messages: messages as readonly Message[] },
  };
}

function splitText({ name, size }: EnvironmentManifest["splits"][number]): string {
  const sizeText = size === null ? "infinite or unknown size" : size.toLocaleString("en");
  return `${name ?? "no splits"} (${sizeText})`;
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
