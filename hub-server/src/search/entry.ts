import type { EnvironmentManifest } from "@envs/hub-client";
import * as z from "zod";

import type { Row } from "../platform/database/tables.ts";
import { nameWords, textWords } from "./words.ts";

/** The version of a package that the search indexes, with fields of the package. */
export interface IndexedVersion {
  readonly name: string;
  readonly owner: string;
  readonly access: Row<"packages">["access"];
  readonly archived_at: Date | null;
  readonly version_id: number;
  readonly packageJson: Readonly<Record<string, unknown>>;
  readonly readme: string;
  readonly deprecated: string | null;
  readonly published_at: Date;
  readonly environment: EnvironmentManifest | null;
}

/** Limits keep a `tsvector` below the 1 MB of PostgreSQL, and searches fast. */
const maxDescriptionLength = 2000;
const maxKeywords = 64;
const maxKeywordLength = 100;
const maxReadmeLength = 20_000;

const description = z
  .string()
  .catch("")
  .transform((text) => text.slice(0, maxDescriptionLength));
const license = z.string().max(200).nullable().catch(null);
const keywords = z
  .array(z.string())
  .catch([])
  .transform((words) => words.slice(0, maxKeywords).map((word) => word.slice(0, maxKeywordLength)));

/** The fields of an entry that can change while the indexed version stays the same. */
export function mutableFields(indexed: IndexedVersion) {
  return {
    owner: indexed.owner,
    is_public: indexed.access === "public",
    is_archived: indexed.archived_at !== null,
    deprecated: indexed.deprecated,
  };
}

/** Builds the fields and texts of the search index, and the words to suggest for misspelled queries. */
export function searchEntry(indexed: IndexedVersion) {
  const { environment, packageJson, readme } = indexed;
  const { tools = [], scores = [] } = environment ?? {};
  const entry = {
    ...mutableFields(indexed),
    version_id: indexed.version_id,
    name: indexed.name,
    is_environment: environment !== null,
    title: environment?.title ?? null,
    description: environment?.description ?? description.parse(packageJson["description"]),
    kind: environment?.kind ?? null,
    tags: environment?.tags ?? [],
    keywords: keywords.parse(packageJson["keywords"]),
    tools: tools.map(({ name }) => name),
    scores: scores.map(({ name }) => name),
    needs: environment === null ? [] : needsOf(environment),
    protocols: environment === null ? [] : protocolsOf(environment),
    license: license.parse(packageJson["license"]),
    published_at: indexed.published_at,
  };
  const nameTerms = [...nameWords(entry.name), ...textWords(entry.title ?? "")];
  const topicTerms = [entry.tags, entry.keywords, entry.kind ?? [], entry.tools, entry.scores]
    .flat()
    .flatMap((name) => nameWords(name));
  const descriptions = [...tools, ...scores].map(({ description = "" }) => description);
  const longText = `${withoutUrls(readme.slice(0, maxReadmeLength))}\n${descriptions.join("\n")}`;
  return {
    row: {
      ...entry,
      nameText: nameTerms.join(" "),
      topicText: topicTerms.join(" "),
      descriptionText: textWords(entry.description).join(" "),
      longText: textWords(longText.slice(0, 2 * maxReadmeLength)).join(" "),
    },
    suggestions: [...new Set([...nameTerms, ...topicTerms])].filter((word) =>
      isSuggestion.test(word),
    ),
  };
}

/** Excludes numbers, and words so short that most others are similar to them. */
const isSuggestion = /^\p{L}[\p{L}\p{N}]{3,63}$/u;

/** Removes URLs, whose parts are not search terms. */
function withoutUrls(markdown: string): string {
  return markdown.replaceAll(/https?:\/\/[^\s)>\]]+/g, " ");
}

/**
 * What an environment needs: `judge` if a score or its own code asks a model, `node` if it does not run in browsers, `sandbox` if it
 * runs code of a model, `machine` if it runs agents in machines, `sub-model` if its hooks ask one.
 */
function needsOf({
  bundle,
  scores,
  requires = [],
  subModel,
}: Pick<EnvironmentManifest, "bundle" | "scores" | "requires" | "subModel">): string[] {
  const isNodeOnly = bundle !== undefined && "problem" in bundle;
  const callsModels = bundle !== undefined && "callsModels" in bundle && bundle.callsModels;
  const isJudged = scores.some(({ needs }) => needs?.includes("judge") === true);
  return [
    ...(isNodeOnly ? ["node"] : []),
    ...(callsModels || isJudged ? ["judge"] : []),
    ...new Set(requires.map(({ kind }) => kind)),
    ...(subModel === undefined ? [] : ["sub-model"]),
  ];
}

/**
 * The protocols over which trainers can use an environment. Trainers over OpenEnv and ORS request the reward of one rollout
 * at a time, so they cannot use weighted scores that compare a group; over OpenEnv, models reply with text.
 */
function protocolsOf({ scores, tools }: Pick<EnvironmentManifest, "scores" | "tools">): string[] {
  const isGrouped = scores.some(({ isGroup, weight }) => isGroup && weight !== 0);
  return [
    "nemo-gym",
    ...(isGrouped ? [] : ["ors"]),
    ...(isGrouped || tools.length > 0 ? [] : ["openenv"]),
  ];
}
