import * as z from "zod";

import { type Routes, timestamp } from "./route.ts";

/** A `developer` publishes; an `admin` also manages teams and packages; an `owner` also manages members. */
const role = z.enum(["owner", "admin", "developer"]);

const organisation = z
  .object({
    name: z.string().describe("Also the scope of its packages"),
    createdAt: timestamp,
    role: role
      .nullable()
      .describe("Your role; null if you are not a member, but an administrator of the hub"),
    members: z.array(z.object({ name: z.string(), role })),
    teams: z.array(z.string()),
  })
  .meta({ id: "Organisation" });

/** An organisation, as its members see it. */
export type Organisation = z.output<typeof organisation>;

const name = z.string().min(1).max(64);

export const organisationRoutes = {
  createOrganisation: {
    method: "POST",
    path: "/api/v1/organisations",
    group: "Organisations",
    summary: "Create an organisation and its scope, as its first owner",
    for: "user",
    body: z.strictObject({ name }),
    status: 201,
    response: organisation,
  },
  listOrganisations: {
    method: "GET",
    path: "/api/v1/organisations",
    group: "Organisations",
    summary: "List your organisations",
    for: "user",
    response: z.object({
      items: z.array(organisation.pick({ name: true, createdAt: true, role: true })),
    }),
  },
  readOrganisation: {
    method: "GET",
    path: "/api/v1/organisations/{organisation}",
    group: "Organisations",
    summary: "Read the members and teams of your organisation",
    for: "user",
    params: z.strictObject({ organisation: name }),
    response: organisation,
  },
} as const satisfies Routes;
