import * as z from "zod";

import { timestamp } from "./fields.ts";
import type { Route } from "./route.ts";
import { packageSummary } from "./search.ts";

/** The public profile of a user or an organisation. */
export const profile = z
  .object({
    name: z.string(),
    kind: z.enum(["user", "organisation"]),
    fullName: z.string(),
    createdAt: timestamp,
    packages: z.array(packageSummary).describe("At most 250, most downloaded first"),
  })
  .meta({ id: "Profile" });

/** The public profile of a user or an organisation. */
export type Profile = z.output<typeof profile>;

export const readUser = {
  method: "GET",
  path: "/api/v1/users/{user}",
  group: "Accounts",
  summary: "Read the profile of a user or an organisation",
  for: "anyone",
  params: z.strictObject({ user: z.string().min(1).max(64) }),
  response: profile,
} as const satisfies Route;

export const readStatistics = {
  method: "GET",
  path: "/api/v1/stats",
  group: "Hub",
  summary: "Count the packages, accounts and downloads of the hub",
  for: "anyone",
  response: z
    .object({
      packages: z.int(),
      environments: z.int(),
      versions: z.int(),
      accounts: z.int(),
      downloads: z.int(),
    })
    .describe("Counts public packages only")
    .meta({ id: "Statistics" }),
} as const satisfies Route;
