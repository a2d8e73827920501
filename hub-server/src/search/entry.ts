import type { EnvironmentManifest } from "@envs/hub-client";
import { type RawBuilder, sql } from "kysely";
import * as z from "zod";

import type { Row } from "../platform/database/tables.ts";
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
  readonly deprecated: string | null;
  readonly published_at: Date;
  readonly environment: EnvironmentManifest | undefined;
}

/** As much of a text as says what it is about: a tsvector has an end, and so has a search. */
const most = { description: 2000, keywords: 64, keyword: 100, readme: 20_000 } as const;

const description = z
  .string()
  .catch("")
  .transform((text) => text.slice(0, most.description));
const keywords = z
  .array(z.string())
  .catch([])
  .transform((words) => words.slice(0, most.keywords).map((word) => word.slice(0, most.keyword)));

/** What can change of an entry without another version. */
export function changingPart(found: Found) {
  return {
    owner: found.owner,
    is_public: found.access === "public",
    is_archived: found.archived_at !== null,
    deprecated: found.deprecated,
  };
}

/** The entry of a package that is found by a version, and the words in it that people may misspell. */
export function entryOf(found: Found) {
  const { environment, packageJson, readme } = found;
  const { tools = [], scores = [] } = environment ?? {};
  const entry = {
    ...changingPart(found),
    version_id: found.version_id,
    name: found.name,
    is_environment: environment !== undefined,
    title: environment?.title ?? null,
    description: environment?.description ?? description.parse(packageJson["description"]),
    kind: environment?.kind ?? null,
    tags: environment?.tags ?? [],
    keywords: keywords.parse(packageJson["keywords"]),
    tools: tools.map(({ name }) => name),
    scores: scores.map(({ name }) => name),
    published_at: found.published_at,
  };
  const called = [...nameWords(entry.name), ...wordsOf(entry.title ?? "")];
  const about = [entry.tags, entry.keywords, entry.kind ?? [], entry.tools, entry.scores]
    .flat()
    .flatMap((name) => nameWords(name));
  const explained = [...tools, ...scores].map(({ description = "" }) => description);
  const rest = `${withoutAddresses(readme.slice(0, most.readme))}\n${explained.join("\n")}`;
  const words = sql`setweight(to_tsvector('simple', ${called.join(" ")}), 'A')
    || ${weighed(called, "A")} || ${weighed(about, "B")} || ${weighed(wordsOf(entry.description), "C")}`;
  return {
    row: {
      ...entry,
      words,
      text: sql`strip(${words} || ${english(wordsOf(rest.slice(0, 2 * most.readme)))})`,
    },
    spelling: [...new Set([...called, ...about])].filter((word) => isSpelt.test(word)),
  };
}

/** Neither a number nor a word so short that everything is spelt alike. */
const isSpelt = /^\p{L}[\p{L}\p{N}]{3,63}$/u;

function weighed(words: readonly string[], weight: "A" | "B" | "C"): RawBuilder<unknown> {
  return sql`setweight(${english(words)}, ${sql.lit(weight)})`;
}

function english(words: readonly string[]): RawBuilder<unknown> {
  return sql`to_tsvector('english', ${words.join(" ")})`;
}

/** Nobody looks for the parts of an address. */
function withoutAddresses(markdown: string): string {
  return markdown.replaceAll(/https?:\/\/[^\s)>\]]+/g, " ");
}
