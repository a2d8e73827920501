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

/** A package of a hub: what it is, who keeps it, how to get it; and of an environment all that it says of itself. */
export function hubPackage(found: PublishedPackage, columns = Infinity): string {
  const safe = cleanJson(found);
  const { environment } = safe.version;
  const shown = environment === null ? undefined : shownEnvironment(environment);
  return [
    ...(shown === undefined
      ? plainHead(safe)
      : environmentHead({ ...shown, name: safe.package.name })),
    ...warningLines(safe),
    heading("on the hub"),
    facts(safe),
    ...(shown === undefined ? [] : environmentSections(shown, columns)),
  ].join("\n");
}

function plainHead({
  package: { name, description },
  version,
}: PublishedPackage): readonly string[] {
  return [
    `${paint("bold", name)} ${paint("dim", version.version)}`,
    description,
    paint("dim", "a package without an environment"),
  ];
}

function warningLines(found: PublishedPackage): readonly string[] {
  const lines = packageWarnings(found).map((line) => paint("yellow", `! ${line}`));
  return lines.length === 0 ? [] : ["", ...lines];
}

function facts({ package: found, version, install }: PublishedPackage): string {
  const { owner, access, versions, tags, downloads, stars, license } = found;
  const month = downloads.days.reduce((sum, { count }) => sum + count, 0);
  const published = version.publishedAt.slice(0, 10);
  const by = version.publishedBy === null ? "" : ` by ${version.publishedBy}`;
  const named = Object.entries(tags).map(([tag, of]) => `${tag} ${of}`);
  const yanked = versions.filter(({ isYanked }) => isYanked).length;
  const many = `${versions.length}${yanked === 0 ? "" : ` (${yanked} yanked)`}`;
  const rows: [string, string][] = [
    ...(version.isYanked ? [] : ([["install", install]] as [string, string][])),
    ["published", `${published}${by}, ${bytes(version.size)}`],
    ["versions", [many, named.join(", ")].filter((text) => text !== "").join(": ")],
    ["owner", owner.kind === "organisation" ? `${owner.name}, an organisation` : owner.name],
    ["access", access === "restricted" ? "private" : "public"],
    [
      "downloads",
      `${downloads.total.toLocaleString("en")}, ${month.toLocaleString("en")} in 30 days`,
    ],
    ["stars", stars.toLocaleString("en")],
    ...(license === null ? [] : ([["license", license]] as [string, string][])),
  ];
  return formatTable(
    rows.map(([name, text]) => [paint("dim", name), text]),
    "text",
  );
}

function shownEnvironment(manifest: EnvironmentManifest): EnvironmentView {
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
    dataset: splits.map(splitInWords).join(", "),
    policies,
    opponent,
    maxTurns,
    example: { policy, reward, messages: messages as readonly Message[] },
  };
}

function splitInWords({ name, size }: EnvironmentManifest["splits"][number]): string {
  const many = size === null ? "endless or uncounted" : size.toLocaleString("en");
  return `${name ?? "one, not divided"} (${many})`;
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}
