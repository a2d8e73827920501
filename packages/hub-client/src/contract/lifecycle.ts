import * as z from "zod";

import { packageName } from "./fields.ts";
import type { Route } from "./route.ts";

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

export const yankVersion = {
  ...yankRoute,
  method: "PUT",
  summary: "Hide a version from new installs; lockfiles still resolve it",
} as const satisfies Route;

export const unyankVersion = {
  ...yankRoute,
  method: "DELETE",
  summary: "Show a yanked version to new installs again",
} as const satisfies Route;

export const archivePackage = {
  ...archiveRoute,
  method: "PUT",
  summary: "Archive a package, which still installs but no longer changes",
} as const satisfies Route;

export const unarchivePackage = {
  ...archiveRoute,
  method: "DELETE",
  summary: "Unarchive a package",
} as const satisfies Route;
