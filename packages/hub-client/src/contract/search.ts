import * as z from "zod";

import { access, moment, number, several } from "./fields.ts";
import type { Route } from "./route.ts";

/** A package as a list shows it: what the version says that `latest` names. */
export const packageSummary = z
  .object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    owner: z.string().describe("The user or organisation that the package belongs to"),
    access,
    isArchived: z.boolean(),
    deprecated: z.string().nullable(),
    isEnvironment: z.boolean(),
    title: z.string().nullable(),
    kind: z
      .string()
      .nullable()
      .describe("single-turn, multi-turn or tools; null without a manifest"),
    tags: z.array(z.string()),
    keywords: z.array(z.string()),
    tools: z.array(z.string()),
    scores: z.array(z.string()),
    downloads: z.int().describe("Of all versions, ever"),
    stars: z.int(),
    publishedAt: moment,
  })
  .meta({ id: "PackageSummary" });

/** A package as a list shows it. */
export type PackageSummary = z.output<typeof packageSummary>;

const facet = z
  .array(z.object({ value: z.string(), count: z.int() }))
  .describe("The most frequent first");

const word = z
  .string()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, "must not have control characters");

const query = z.strictObject({
  q: z.string().max(200).default("").describe("Words to find; without any, everything is listed"),
  kind: several(word).optional().describe("One of these kinds"),
  tag: several(word).optional().describe("All of these tags"),
  tool: several(word).optional().describe("All of these tools"),
  score: several(word).optional().describe("All of these scores"),
  owner: several(word).optional().describe("One of these users or organisations"),
  sort: z
    .enum(["relevance", "downloads", "stars", "recent", "name"])
    .default("relevance")
    .describe("Without words, relevance is downloads"),
  page: number(1, 1000).default(1),
  perPage: number(1, 100).default(20),
});

const results = z
  .object({
    items: z.array(packageSummary),
    total: z.int(),
    page: z.int(),
    perPage: z.int(),
    isApproximate: z
      .boolean()
      .describe("Nothing has these words; these have words that are spelt alike"),
    facets: z
      .object({ kinds: facet, tags: facet, tools: facet, owners: facet })
      .describe("How many of the results have what; counted in 1,000 of them, if there are more"),
  })
  .meta({ id: "SearchResults" });

/** A page of search results, and what would narrow them. */
export type SearchResults = z.output<typeof results>;

export const findEnvironments = {
  method: "GET",
  path: "/api/v1/environments",
  group: "Search",
  summary: "Find environments",
  for: "anyone",
  query,
  answer: results,
} as const satisfies Route;

export const findPackages = {
  method: "GET",
  path: "/api/v1/packages",
  group: "Search",
  summary: "Find packages, environments among them",
  for: "anyone",
  query,
  answer: results,
} as const satisfies Route;
