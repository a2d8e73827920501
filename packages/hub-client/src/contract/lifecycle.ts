import * as z from "zod";

import { packageName } from "./fields.ts";
import type { Route } from "./route.ts";

const yanking = {
  path: "/api/v1/packages/{name}/versions/{version}/yank",
  group: "Packages",
  for: "user",
  params: z.strictObject({ name: packageName, version: z.string().min(1).max(256) }),
  answer: z.object({ name: z.string(), version: z.string(), isYanked: z.boolean() }),
} as const;

const archiving = {
  path: "/api/v1/packages/{name}/archive",
  group: "Packages",
  for: "user",
  params: z.strictObject({ name: packageName }),
  answer: z.object({ name: z.string(), isArchived: z.boolean() }),
} as const;

export const yankVersion = {
  ...yanking,
  method: "PUT",
  summary: "Take a version off the list; whoever has it locked still gets it",
} as const satisfies Route;

export const unyankVersion = {
  ...yanking,
  method: "DELETE",
  summary: "Put a yanked version back on the list",
} as const satisfies Route;

export const archivePackage = {
  ...archiving,
  method: "PUT",
  summary: "Archive a package that you administer: it installs, and does not change",
} as const satisfies Route;

export const unarchivePackage = {
  ...archiving,
  method: "DELETE",
  summary: "Take a package out of the archive",
} as const satisfies Route;
