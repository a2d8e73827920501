import * as z from "zod";

import { packageName, type Routes, timestamp } from "./route.ts";

const severity = z.enum(["info", "low", "moderate", "high", "critical"]);
const range = z.string().trim().min(1).max(500).describe("A version range, such as <=0.3.1");

/** A warning about versions of a package, which `npm audit` shows. */
const advisory = z
  .object({
    id: z.int(),
    package: z.string(),
    title: z.string(),
    overview: z.string(),
    severity,
    vulnerableVersions: z.string(),
    patchedVersions: z.string().nullable(),
    cwe: z.array(z.string()),
    url: z.string(),
    createdBy: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    withdrawnAt: timestamp.nullable(),
  })
  .meta({ id: "Advisory" });

/** A warning about versions of a package. */
export type Advisory = z.output<typeof advisory>;

const id = z.coerce.number<number | string>().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const advisoryRoutes = {
  listAdvisories: {
    method: "GET",
    path: "/api/v1/packages/{name}/advisories",
    group: "Advisories",
    summary: "List a package's advisories, including withdrawn ones",
    for: "anyone",
    params: z.strictObject({ name: packageName }),
    response: z.object({ items: z.array(advisory) }),
  },
  readAdvisory: {
    method: "GET",
    path: "/api/v1/advisories/{id}",
    group: "Advisories",
    summary: "Read an advisory",
    for: "anyone",
    params: z.strictObject({ id }),
    response: advisory,
  },
  publishAdvisory: {
    method: "POST",
    path: "/api/v1/packages/{name}/advisories",
    group: "Advisories",
    summary: "Publish a warning about versions of your package",
    for: "user",
    params: z.strictObject({ name: packageName }),
    body: z.strictObject({
      title: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .describe("A short title, such as: reward leaks the answer"),
      overview: z
        .string()
        .max(20_000)
        .default("")
        .describe("The problem and the remedy, as Markdown"),
      severity,
      vulnerableVersions: range,
      patchedVersions: range.optional(),
      cwe: z
        .array(z.string().regex(/^CWE-\d{1,6}$/, "must be like CWE-200"))
        .max(20)
        .default([]),
    }),
    status: 201,
    response: advisory,
  },
  withdrawAdvisory: {
    method: "DELETE",
    path: "/api/v1/packages/{name}/advisories/{id}",
    group: "Advisories",
    summary: "Withdraw an advisory",
    for: "user",
    params: z.strictObject({ name: packageName, id }),
    response: advisory,
  },
} as const satisfies Routes;
