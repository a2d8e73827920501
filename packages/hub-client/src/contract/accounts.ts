import * as z from "zod";

import { moment } from "./fields.ts";
import type { Route } from "./route.ts";
import { packageSummary } from "./search.ts";

/** What everybody may know of a user or an organisation. */
export const profile = z
  .object({
    name: z.string(),
    kind: z.enum(["user", "organisation"]),
    fullName: z.string(),
    createdAt: moment,
    packages: z.array(packageSummary).describe("The most downloaded first, at most 250"),
  })
  .meta({ id: "Profile" });

/** What everybody may know of a user or an organisation. */
export type Profile = z.output<typeof profile>;

export const readUser = {
  method: "GET",
  path: "/api/v1/users/{user}",
  group: "Accounts",
  summary: "Read the profile of a user or an organisation",
  for: "anyone",
  params: z.strictObject({ user: z.string().min(1).max(64) }),
  answer: profile,
} as const satisfies Route;

export const readStatistics = {
  method: "GET",
  path: "/api/v1/stats",
  group: "Hub",
  summary: "Count what is on the hub",
  for: "anyone",
  answer: z
    .object({
      packages: z.int(),
      environments: z.int(),
      versions: z.int(),
      accounts: z.int(),
      downloads: z.int(),
    })
    .describe("Of public packages")
    .meta({ id: "Statistics" }),
} as const satisfies Route;
