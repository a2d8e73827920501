import { cleanJson, paint } from "@envs/cli/kit";
import { optionsOfSchema } from "@envs/cli/kit/environments";
import {
  environmentHead,
  environmentSections,
  heading,
  type EnvironmentView,
} from "@envs/cli/kit/layout";
import type { Message } from "@envs/core";
import type { EnvironmentManifest } from "@envs/hub-client";

import { formatPackageFacts, formatWarnings } from "./package-facts.ts";
import type { PublishedPackage } from "./published-package.ts";

/** Formats a package on a hub: its description, warnings, versions and owner, and its environment if it has one. */
export function publishedPackageText(published: PublishedPackage, columns = Infinity): string {
  const safe = cleanJson(published);
  const { environment } = safe.version;
  const warnings = formatWarnings(safe);
  const view = environment === null ? undefined : environmentView(environment);
  return [
    ...(view === undefined
      ? plainHead(safe)
      : environmentHead({ ...view, name: safe.package.name })),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
    heading("on the hub"),
    formatPackageFacts(safe),
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

function environmentView(manifest: EnvironmentManifest): EnvironmentView {
  const { name, description, tags, kind, tools, splits, policies, maxTurns } = manifest;
  const { policy, reward, messages } = manifest.example;
  return {
    name,
    version: manifest.package.version,
    description,
    tags,
    kind,
    config: optionsOfSchema(manifest.config),
    scores: manifest.scores.map(({ name, weight, isGroup, description, range, needs, judge }) => ({
      name,
      weight,
      isGroup,
      ...(description !== undefined && { description }),
      ...(range !== undefined && { range }),
      ...(needs !== undefined && { needs }),
      ...(judge !== undefined && { judge }),
    })),
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.input,
    })),
    dataset: splits.map(splitText).join(", "),
    policies,
    hasChoices: manifest.hasChoices ?? false,
    hasBoard: manifest.hasBoard ?? false,
    seats: manifest.seats ?? [],
    maxTurns,
    requires: manifest.requires ?? [],
    subModel: manifest.subModel,
    example: { policy, reward, messages: messages as readonly Message[] },
  };
}

function splitText({ name, size }: EnvironmentManifest["splits"][number]): string {
  const sizeText = size === null ? "infinite or unknown size" : size.toLocaleString("en");
  return `${name ?? "no splits"} (${sizeText})`;
}
