import * as z from "zod";

import { type Routes, timestamp } from "./route.ts";
import { packageSummary } from "./search.ts";

const user = z
  .object({
    name: z.string(),
    fullName: z.string(),
    email: z.string().nullable(),
    isAdmin: z.boolean(),
    isModerator: z
      .boolean()
      .describe("Whether the user decides reports about packages, runs and users"),
    isDisabled: z
      .boolean()
      .describe("Whether the account is closed. A closed account cannot log in or use tokens"),
    hasSecondFactor: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: "User" });

/** A user, as administrators of the hub see them. */
export type User = z.output<typeof user>;

const invitation = z
  .object({
    id: z.uuid(),
    organisation: z
      .string()
      .nullable()
      .describe("The organisation that the new user joins as a developer"),
    isAdmin: z.boolean(),
    invitedBy: z.string(),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: "Invitation" });

/** A link that creates one account. */
export type Invitation = z.output<typeof invitation>;

const profile = z
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

export const accountRoutes = {
  changeUser: {
    method: "PATCH",
    path: "/api/v1/users/{user}",
    group: "Accounts",
    summary: "Close or reopen an account, or change its rights",
    for: "user",
    params: z.strictObject({ user: z.string().min(1).max(64) }),
    body: z
      .strictObject({
        isDisabled: z
          .boolean()
          .optional()
          .describe("Closing an account revokes all sessions and tokens"),
        isAdmin: z.boolean().optional(),
        isModerator: z.boolean().optional(),
        hasSecondFactor: z
          .literal(false)
          .optional()
          .describe("Removes the second factor of a user who lost it and the recovery codes"),
      })
      .describe("Missing fields do not change"),
    response: user,
  },
  listInvitations: {
    method: "GET",
    path: "/api/v1/invitations",
    group: "Accounts",
    summary: "List your unused invitations; administrators see all",
    for: "user",
    response: z.object({ items: z.array(invitation) }),
  },
  createInvitation: {
    method: "POST",
    path: "/api/v1/invitations",
    group: "Accounts",
    summary: "Invite a user to the hub, or to an organisation that you own",
    for: "user",
    body: z.strictObject({
      organisation: z.string().min(1).max(64).optional(),
      isAdmin: z.boolean().default(false),
      days: z.int().min(1).max(30).default(7).describe("Days until the link expires"),
    }),
    status: 201,
    response: invitation.extend({ url: z.url().describe("The link, which is not shown again") }),
  },
  revokeInvitation: {
    method: "DELETE",
    path: "/api/v1/invitations/{id}",
    group: "Accounts",
    summary: "Revoke an invitation",
    for: "user",
    params: z.strictObject({ id: z.uuid() }),
    response: z.object({ id: z.uuid() }),
  },
  readUser: {
    method: "GET",
    path: "/api/v1/users/{user}",
    group: "Accounts",
    summary: "Read the profile of a user or an organisation",
    for: "anyone",
    params: z.strictObject({ user: z.string().min(1).max(64) }),
    response: profile,
  },
} as const satisfies Routes;
