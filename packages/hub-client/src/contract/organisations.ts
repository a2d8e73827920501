import * as z from "zod";

import { moment } from "./fields.ts";
import type { Route } from "./route.ts";

/** What a member of an organisation may do: `developer` publishes, `admin` manages teams and packages, `owner` members too. */
const role = z.enum(["owner", "admin", "developer"]);

/** An organisation, as one of its members sees it. */
export const organisation = z
  .object({
    name: z.string().describe("Also the scope of its packages"),
    createdAt: moment,
    role: role.nullable().describe("Yours; null if you are here as the hub's administrator"),
    members: z.array(z.object({ name: z.string(), role })),
    teams: z.array(z.string()),
  })
  .meta({ id: "Organisation" });

/** An organisation, as one of its members sees it. */
export type Organisation = z.output<typeof organisation>;

const name = z.string().min(1).max(64);

export const createOrganisation = {
  method: "POST",
  path: "/api/v1/organisations",
  group: "Organisations",
  summary: "Make an organisation, which owns a scope; you are its first owner",
  for: "user",
  body: z.strictObject({ name }),
  status: 201,
  answer: organisation,
} as const satisfies Route;

export const listOrganisations = {
  method: "GET",
  path: "/api/v1/organisations",
  group: "Organisations",
  summary: "List the organisations that you are a member of",
  for: "user",
  answer: z.object({
    items: z.array(organisation.pick({ name: true, createdAt: true, role: true })),
  }),
} as const satisfies Route;

export const readOrganisation = {
  method: "GET",
  path: "/api/v1/organisations/{organisation}",
  group: "Organisations",
  summary: "Read the members and teams of an organisation; for its members",
  for: "user",
  params: z.strictObject({ organisation: name }),
  answer: organisation,
} as const satisfies Route;
