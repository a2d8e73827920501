import * as z from "zod";

import { moment } from "./fields.ts";
import type { Route } from "./route.ts";

/** A user, as the hub's administrators see them. */
export const user = z
  .object({
    name: z.string(),
    fullName: z.string(),
    email: z.string().nullable(),
    isAdmin: z.boolean(),
    isDisabled: z
      .boolean()
      .describe("Whether the account is closed: no session, no token, no login"),
    hasSecondFactor: z.boolean(),
    createdAt: moment,
  })
  .meta({ id: "User" });

/** A user, as the hub's administrators see them. */
export type User = z.output<typeof user>;

export const changeUser = {
  method: "PATCH",
  path: "/api/v1/users/{user}",
  group: "Accounts",
  summary: "Close or open a user's account, or make them an administrator",
  for: "user",
  params: z.strictObject({ user: z.string().min(1).max(64) }),
  body: z
    .strictObject({
      isDisabled: z.boolean().optional().describe("Closing ends every session and every token"),
      isAdmin: z.boolean().optional(),
      hasSecondFactor: z
        .literal(false)
        .optional()
        .describe("Ends the second factor of somebody who lost it and their recovery codes"),
    })
    .describe("What is not given stays"),
  answer: user,
} as const satisfies Route;

/** A link that makes an account, once. */
export const invitation = z
  .object({
    id: z.uuid(),
    organisation: z.string().nullable().describe("Whose developer the new user becomes"),
    isAdmin: z.boolean(),
    invitedBy: z.string(),
    createdAt: moment,
    expiresAt: moment,
  })
  .meta({ id: "Invitation" });

/** A link that makes an account, once. */
export type Invitation = z.output<typeof invitation>;

export const listInvitations = {
  method: "GET",
  path: "/api/v1/invitations",
  group: "Accounts",
  summary: "List your invitations that nobody has used; an administrator's list is of all",
  for: "user",
  answer: z.object({ items: z.array(invitation) }),
} as const satisfies Route;

export const createInvitation = {
  method: "POST",
  path: "/api/v1/invitations",
  group: "Accounts",
  summary: "Invite somebody to the hub, or to an organisation that you own",
  for: "user",
  body: z.strictObject({
    organisation: z.string().min(1).max(64).optional(),
    isAdmin: z.boolean().default(false),
    days: z.int().min(1).max(30).default(7).describe("How long the link may wait"),
  }),
  status: 201,
  answer: invitation.extend({ url: z.url().describe("The link; it is not shown again") }),
} as const satisfies Route;

export const revokeInvitation = {
  method: "DELETE",
  path: "/api/v1/invitations/{id}",
  group: "Accounts",
  summary: "Take an invitation back",
  for: "user",
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ id: z.uuid() }),
} as const satisfies Route;
