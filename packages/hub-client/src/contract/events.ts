import * as z from "zod";

import { moment, number } from "./fields.ts";
import type { Route } from "./route.ts";

/** Everything that the event log tells of. */
export const eventTypes = [
  "user.created",
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
  "tag.set",
  "tag.removed",
  "trust.added",
  "trust.removed",
  "trust.used",
  "key.rotated",
  "advisory.published",
  "advisory.withdrawn",
] as const;

/** What kind of thing happened. */
export type EventType = (typeof eventTypes)[number];

const link = {
  sequence: z.int().describe("1 for the first; there are no gaps"),
  previousHash: z.string().describe("The hash of the event before; 64 zeros before the first"),
  hash: z.string().describe("SHA-256 of the event and of the hash before it"),
};

/** Something that happened, in a log whose every entry covers the one before it. */
export const hubEvent = z
  .union([
    z.object({
      ...link,
      at: moment,
      type: z.enum(eventTypes),
      actor: z.string().nullable().describe("Who did it; null for the hub itself"),
      subject: z.string().describe("What it was done to, such as @envs/tictactoe@0.2.0"),
      detail: z.record(z.string(), z.unknown()),
    }),
    z.object({ ...link, isHidden: z.literal(true).describe("You may not read what it is about") }),
  ])
  .meta({ id: "Event" });

/** Something that happened. */
export type HubEvent = z.output<typeof hubEvent>;

export const readEvents = {
  method: "GET",
  path: "/-/events",
  group: "Hub",
  summary: "Read the event log, oldest first",
  for: "anyone",
  query: z.strictObject({
    since: number(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe("The sequence number that you have already; 0 for all"),
    limit: number(1, 1000).default(100),
  }),
  answer: z.object({
    items: z.array(hubEvent),
    last: z.int().describe("The newest sequence number of the log"),
  }),
} as const satisfies Route;
