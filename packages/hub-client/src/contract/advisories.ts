import * as z from "zod";

import { moment, packageName } from "./fields.ts";
import type { Route } from "./route.ts";

const severity = z.enum(["info", "low", "moderate", "high", "critical"]);
const range = z.string().trim().min(1).max(500).describe("A range of versions, such as <=0.3.1");

/** Something that people should know before they trust a version: what `npm audit` shows. */
export const advisory = z
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
    createdAt: moment,
    updatedAt: moment,
    withdrawnAt: moment.nullable(),
  })
  .meta({ id: "Advisory" });

/** Something that people should know before they trust a version. */
export type Advisory = z.output<typeof advisory>;

const id = z.coerce.number<number | string>().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const listAdvisories = {
  method: "GET",
  path: "/api/v1/packages/{name}/advisories",
  group: "Advisories",
  summary: "List a package's advisories, withdrawn ones too",
  for: "anyone",
  params: z.strictObject({ name: packageName }),
  answer: z.object({ items: z.array(advisory) }),
} as const satisfies Route;

export const readAdvisory = {
  method: "GET",
  path: "/api/v1/advisories/{id}",
  group: "Advisories",
  summary: "Read an advisory",
  for: "anyone",
  params: z.strictObject({ id }),
  answer: advisory,
} as const satisfies Route;

export const publishAdvisory = {
  method: "POST",
  path: "/api/v1/packages/{name}/advisories",
  group: "Advisories",
  summary: "Warn of versions of a package that you administer",
  for: "user",
  params: z.strictObject({ name: packageName }),
  body: z.strictObject({
    title: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe("One sentence, such as: reward leaks the answer"),
    overview: z
      .string()
      .max(20_000)
      .default("")
      .describe("What is wrong and what to do, as Markdown"),
    severity,
    vulnerableVersions: range,
    patchedVersions: range.optional(),
    cwe: z
      .array(z.string().regex(/^CWE-\d{1,6}$/, "must be like CWE-200"))
      .max(20)
      .default([]),
  }),
  status: 201,
  answer: advisory,
} as const satisfies Route;

export const withdrawAdvisory = {
  method: "DELETE",
  path: "/api/v1/packages/{name}/advisories/{id}",
  group: "Advisories",
  summary: "Withdraw an advisory",
  for: "user",
  params: z.strictObject({ name: packageName, id }),
  answer: advisory,
} as const satisfies Route;
