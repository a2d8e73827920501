import type { EnvironmentManifest } from "@envs/hub-client";
import * as z from "zod";

import type { Row } from "../database/tables.ts";
import { nameWords, wordsOf } from "./words.ts";

/** The version by which a package is found, and what is known of the package itself. */
export interface Found {
  readonly name: string;
  readonly owner: string;
  readonly access: Row<"packages">["access"];
  readonly archived_at: Date | null;
  readonly version_id: number;
  readonly packageJson: Readonly<Record<string, unknown>>;
  readonly readme: string;
  readonly published_at: Date;
  readonly environment: EnvironmentManifest | undefined;
}

/** What a search compares with the words of a query, the weightiest first: the letters are those of tsvectors. */
export type WeighedWords = Readonly<Record<"A" | "B" | "C" | "D", string>>;

/** A README says less the longer it gets, and a tsvector has an end. */
const readmeLength = 20_000;

const text = z.string().catch("");
const texts = z.array(z.string()).catch([]);

/** What the search says of a package. */
export function entryOf(found: Found) {
  const { name, packageJson, environment } = found;
  return {
    version_id: found.version_id,
    name,
    owner: found.owner,
    is_public: found.access === "public",
    is_archived: found.archived_at !== null,
    is_environment: environment !== undefined,
    title: environment?.title ?? null,
    description: environment?.description ?? text.parse(packageJson["description"]),
    kind: environment?.kind ?? null,
    tags: environment?.tags ?? [],
    keywords: texts.parse(packageJson["keywords"]),
    tools: environment?.tools.map((tool) => tool.name) ?? [],
    scores: environment?.scores.map((score) => score.name) ?? [],
    published_at: found.published_at,
  };
}

/** The words of an entry by their weight: what it is called, what it is about, how it describes itself, the README. */
export function weighedWords(
  entry: ReturnType<typeof entryOf>,
  { packageJson, readme, environment }: Found,
): WeighedWords {
  const described = [entry.description, text.parse(packageJson["description"])];
  const inside = [...(environment?.tools ?? []), ...(environment?.scores ?? [])];
  return {
    A: [...nameWords(entry.name), ...wordsOf(entry.title ?? "")].join(" "),
    B: [...entry.tags, ...entry.keywords, entry.kind ?? "", ...inside.map(({ name }) => name)]
      .flatMap((part) => nameWords(part))
      .join(" "),
    C: [...new Set(described), ...inside.map(({ description = "" }) => description)]
      .flatMap((part) => wordsOf(part))
      .join(" "),
    D: wordsOf(withoutAddresses(readme.slice(0, readmeLength))).join(" "),
  };
}

/** Nobody looks for the parts of an address. */
function withoutAddresses(markdown: string): string {
  return markdown.replaceAll(/https?:\/\/[^\s)>\]]+/g, " ");
}
