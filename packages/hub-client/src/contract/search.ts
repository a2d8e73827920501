import * as z from "zod";

import { access, integer, repeatable, type Routes, timestamp } from "./route.ts";

/** A package in a list, described by its latest version. */
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
    license: z.string().nullable().describe("As in package.json"),
    evaluations: z.int().describe("Number of evaluations that users pushed"),
    trainings: z.int().describe("Number of training runs that users pushed"),
    downloads: z.int().describe("Total of all versions"),
    stars: z.int(),
    publishedAt: timestamp,
  })
  .meta({ id: "PackageSummary" });

/** A package in a list. */
export type PackageSummary = z.output<typeof packageSummary>;

const facet = z
  .array(z.object({ value: z.string(), count: z.int() }))
  .describe("Most frequent first");

const word = z
  .string()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, "must not have control characters");

const query = z.strictObject({
  q: z.string().max(200).default("").describe("Search words. Without them, all packages match"),
  kind: repeatable(word).optional().describe("Has one of these kinds"),
  tag: repeatable(word).optional().describe("Has all of these tags"),
  tool: repeatable(word).optional().describe("Has all of these tools"),
  score: repeatable(word).optional().describe("Has all of these scores"),
  owner: repeatable(word).optional().describe("Belongs to one of these users or organisations"),
  need: repeatable(word)
    .optional()
    .describe(
      "Has all of these needs: judge (calls a model itself), node (does not run in browsers), sandbox (runs code of a model), sub-model (asks a model while it is played)",
    ),
  protocol: repeatable(word)
    .optional()
    .describe("Can be trained on over one of these protocols: openenv, ors, nemo-gym"),
  license: repeatable(word).optional().describe("Has one of these licences, as in package.json"),
  evaluated: z.enum(["true"]).optional().describe("Has evaluations that users pushed"),
  sort: z
    .enum(["relevance", "downloads", "stars", "recent", "name", "trainings"])
    .default("relevance")
    .describe("Without search words, relevance sorts by downloads"),
  page: integer(1, 1000).default(1),
  perPage: integer(1, 100).default(20),
});

const results = z
  .object({
    items: z.array(packageSummary),
    total: z.int(),
    page: z.int(),
    perPage: z.int(),
    isApproximate: z
      .boolean()
      .describe("No package has these words; the results have words with a similar spelling"),
    facets: z
      .object({
        kinds: facet,
        tags: facet,
        tools: facet,
        needs: facet,
        protocols: facet,
        licenses: facet,
        owners: facet,
        evaluated: z.int().describe("Results with evaluations"),
      })
      .describe("Number of results for each value, in at most 1,000 results"),
  })
  .meta({ id: "SearchResults" });

/** A page of search results, with facets to narrow them. */
export type SearchResults = z.output<typeof results>;

export const searchRoutes = {
  findEnvironments: {
    method: "GET",
    path: "/api/v1/environments",
    group: "Search",
    summary: "Find environments",
    for: "anyone",
    query,
    response: results,
  },
  findPackages: {
    method: "GET",
    path: "/api/v1/packages",
    group: "Search",
    summary: "Find packages, including environments",
    for: "anyone",
    query,
    response: results,
  },
} as const satisfies Routes;
