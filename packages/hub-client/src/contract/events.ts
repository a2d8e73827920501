import * as z from "zod";

import { integer, packageName, type Routes, timestamp } from "./route.ts";

/** All types of events in the event log. */
export const eventTypes = [
  "user.created",
  "user.changed",
  "user.deleted",
  "user.suspended",
  "account.quota-changed",
  "user.unsuspended",
  "organisation.created",
  "member.added",
  "member.changed",
  "member.removed",
  "team.created",
  "team.removed",
  "team.joined",
  "team.left",
  "package.created",
  "package.access-changed",
  "package.granted",
  "package.revoked",
  "package.archived",
  "package.unarchived",
  "package.unpublished",
  "package.quarantined",
  "package.taken-down",
  "package.restored",
  "owner.added",
  "owner.removed",
  "version.published",
  "version.staged",
  "version.rejected",
  "version.deprecated",
  "version.undeprecated",
  "version.yanked",
  "version.unyanked",
  "version.unpublished",
  "version.taken-down",
  "version.restored",
  "tag.set",
  "tag.removed",
  "trust.added",
  "trust.removed",
  "trust.used",
  "key.rotated",
  "advisory.published",
  "advisory.withdrawn",
  "run.pushed",
  "run.deleted",
  "run.taken-down",
  "run.restored",
] as const;

/** The type of an event. */
export type EventType = (typeof eventTypes)[number];

const link = {
  sequence: z.int().describe("Starts at 1, without gaps"),
  previousHash: z.string().describe("The hash of the previous event; 64 zeros for the first"),
  hash: z.string().describe("SHA-256 of the event and the previous hash"),
};

/** An entry of the event log, which is a hash chain. */
const hubEvent = z
  .union([
    z.object({
      ...link,
      at: timestamp,
      type: z.enum(eventTypes),
      actor: z.string().nullable().describe("The user who caused it; null for the hub itself"),
      subject: z.string().describe("The object of the event, such as @envs/tictactoe@0.2.0"),
      detail: z.record(z.string(), z.unknown()),
    }),
    z.object({
      ...link,
      isHidden: z.literal(true).describe("You do not have permission to read its subject"),
    }),
  ])
  .meta({ id: "Event" });

/** An entry of the event log. */
export type HubEvent = z.output<typeof hubEvent>;

export const eventRoutes = {
  readEvents: {
    method: "GET",
    path: "/-/events",
    group: "Hub",
    summary: "Read the event log, oldest first",
    for: "anyone",
    query: z.strictObject({
      since: integer(0, Number.MAX_SAFE_INTEGER)
        .default(0)
        .describe("Returns events after this sequence number; 0 for all"),
      limit: integer(1, 1000).default(100),
      package: packageName.optional().describe("Returns only the events of this package"),
      account: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe("Returns only the events of this user or organisation, besides its packages"),
    }),
    response: z.object({
      items: z.array(hubEvent),
      last: z.int().describe("The highest sequence number of the log"),
    }),
  },
  readStatistics: {
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
  },
} as const satisfies Routes;
