import * as z from "zod";

import { environmentManifest } from "../manifest.ts";
import { access, day, integer, packageName, type Routes, timestamp } from "./route.ts";

const read = { method: "GET", group: "Packages", for: "anyone" } as const;

/** The hub validates manifests at publish time, so this schema accepts the stored form without the limits. */
const manifest = environmentManifest.out.meta({ id: "EnvironmentManifest" });

const versionSummary = z
  .object({
    version: z.string(),
    publishedAt: timestamp,
    publishedBy: z.string().nullable(),
    size: z.int().describe("Bytes of the tarball"),
    unpackedSize: z.int(),
    fileCount: z.int(),
    integrity: z.string(),
    deprecated: z.string().nullable(),
    isYanked: z.boolean(),
    contentHash: z
      .string()
      .nullable()
      .describe("The hash of the environment's code; null without a manifest"),
  })
  .meta({ id: "VersionSummary" });

const dailyDownloads = z.array(z.object({ day, count: z.int() }));

const packageDetail = z
  .object({
    name: z.string(),
    description: z.string(),
    owner: z.object({ name: z.string(), kind: z.enum(["user", "organisation"]) }),
    maintainers: z.array(z.string()),
    access,
    isArchived: z.boolean(),
    createdAt: timestamp,
    modifiedAt: timestamp,
    stars: z.int(),
    downloads: z.object({
      total: z.int(),
      days: dailyDownloads.describe("The last 30 days, without days that have no downloads"),
    }),
    tags: z.record(z.string(), z.string()).describe("Dist-tags and their versions"),
    versions: z.array(versionSummary).describe("Highest first"),
    latest: z.string().nullable(),
    keywords: z.array(z.string()),
    license: z.string().nullable(),
    homepage: z.string().nullable(),
    repository: z.string().nullable(),
    readme: z.string(),
    environment: manifest.nullable(),
  })
  .meta({ id: "Package" });

/** A package, with the README and manifest of its latest version. */
export type PackageDetail = z.output<typeof packageDetail>;

const versionDetail = versionSummary
  .extend({
    name: z.string(),
    description: z.string().default(""),
    keywords: z.array(z.string()).default([]),
    license: z.string().nullable().default(null),
    homepage: z.string().nullable().default(null),
    repository: z.string().nullable().default(null),
    signatures: z
      .array(z.object({ keyid: z.string(), sig: z.string() }))
      .default([])
      .describe("The hub's signatures of the name, version and integrity"),
    tarball: z.string(),
    shasum: z.string(),
    tags: z.array(z.string()).describe("Dist-tags of this version"),
    downloads: z.int(),
    dependencies: z.record(z.string(), z.string()),
    peerDependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()).default({}),
    engines: z.record(z.string(), z.string()),
    files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
    attestations: z.array(z.string()).describe("Predicate types of its attestations"),
    readme: z.string(),
    environment: manifest.nullable(),
  })
  .meta({ id: "Version" });

/** A version of a package. */
export type VersionDetail = z.output<typeof versionDetail>;

/** A package whose latest version depends on another package. */
const dependent = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  isEnvironment: z.boolean(),
  range: z.string().describe("The range or dist-tag in its package.json"),
  kind: z.enum(["dependencies", "optionalDependencies", "peerDependencies"]),
});

/** A package whose latest version depends on another package. */
export type Dependent = z.output<typeof dependent>;

const change = z.object({
  subject: z.enum(["option", "score", "tool", "split", "environment"]),
  name: z.string(),
  kind: z.enum(["added", "removed", "narrowed", "widened", "changed"]),
  detail: z.string().describe("The old and the new value, such as: weight 1 → 0.5"),
});

const fileChange = z.object({
  path: z.string(),
  kind: z.enum(["added", "removed", "changed"]),
  before: z.int().describe("Bytes; 0 if the file is new"),
  after: z.int().describe("Bytes; 0 if the file was removed"),
});

const comparison = z
  .object({
    name: z.string(),
    from: z.string(),
    to: z.string(),
    manifest: z
      .array(change)
      .describe("Options, scores, tools and splits; empty if a version has no manifest"),
    files: z.array(fileChange),
  })
  .meta({ id: "Comparison" });

/** The differences between two versions of a package. */
export type Comparison = z.output<typeof comparison>;

const yankRoute = {
  path: "/api/v1/packages/{name}/versions/{version}/yank",
  group: "Packages",
  for: "user",
  params: z.strictObject({ name: packageName, version: z.string().min(1).max(256) }),
  response: z.object({ name: z.string(), version: z.string(), isYanked: z.boolean() }),
} as const;

const archiveRoute = {
  path: "/api/v1/packages/{name}/archive",
  group: "Packages",
  for: "user",
  params: z.strictObject({ name: packageName }),
  response: z.object({ name: z.string(), isArchived: z.boolean() }),
} as const;

export const packageRoutes = {
  readPackage: {
    ...read,
    path: "/api/v1/packages/{name}",
    summary: "Read a package",
    params: z.strictObject({ name: packageName }),
    response: packageDetail,
  },
  readVersion: {
    ...read,
    path: "/api/v1/packages/{name}/versions/{version}",
    summary: "Read a version by its number or a dist-tag",
    params: z.strictObject({ name: packageName, version: z.string().min(1).max(256) }),
    response: versionDetail,
  },
  readDownloads: {
    ...read,
    path: "/api/v1/packages/{name}/downloads",
    summary: "Count a package's downloads by day and by version",
    params: z.strictObject({ name: packageName }),
    query: z.strictObject({
      from: day.optional().describe("The first day. Default: 29 days before the last"),
      to: day.optional().describe("The last day. Default: today in UTC"),
    }),
    response: z
      .object({
        from: day,
        to: day,
        total: z.int(),
        days: dailyDownloads,
        versions: z.array(z.object({ version: z.string(), count: z.int() })),
      })
      .meta({ id: "Downloads" }),
  },
  listDependents: {
    ...read,
    path: "/api/v1/packages/{name}/dependents",
    summary: "List the packages whose latest version depends on a package",
    params: z.strictObject({ name: packageName }),
    query: z.strictObject({
      page: integer(1, 1000).default(1),
      perPage: integer(1, 100).default(20),
    }),
    response: z
      .object({
        items: z.array(dependent).describe("Most downloaded first"),
        total: z.int().describe("Counts only packages that you may read"),
        page: z.int(),
        perPage: z.int(),
      })
      .meta({ id: "Dependents" }),
  },
  compareVersions: {
    ...read,
    path: "/api/v1/packages/{name}/compare/{from}/{to}",
    summary: "Compare two versions: their manifests and files",
    params: z.strictObject({
      name: packageName,
      from: z.string().min(1).max(256).describe("A version or a dist-tag"),
      to: z.string().min(1).max(256).describe("A version or a dist-tag"),
    }),
    response: comparison,
  },
  yankVersion: {
    ...yankRoute,
    method: "PUT",
    summary: "Hide a version from new installs; lockfiles still resolve it",
  },
  unyankVersion: {
    ...yankRoute,
    method: "DELETE",
    summary: "Show a yanked version to new installs again",
  },
  archivePackage: {
    ...archiveRoute,
    method: "PUT",
    summary: "Archive a package, which still installs but no longer changes",
  },
  unarchivePackage: {
    ...archiveRoute,
    method: "DELETE",
    summary: "Unarchive a package",
  },
} as const satisfies Routes;
