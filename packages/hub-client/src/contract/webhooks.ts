import * as z from "zod";

import { eventTypes } from "./events.ts";
import { moment, packageName } from "./fields.ts";
import type { Route } from "./route.ts";

/** An address that is told of events. */
export const webhook = z
  .object({
    id: z.uuid(),
    account: z.string().describe("The user or organisation whose packages it is about"),
    package: z.string().nullable().describe("Null: every package of the account"),
    url: z.string(),
    types: z.array(z.enum(eventTypes)).describe("None: every type"),
    createdAt: moment,
  })
  .meta({ id: "Webhook" });

/** An address that is told of events. */
export type Webhook = z.output<typeof webhook>;

const id = z.uuid();

export const listWebhooks = {
  method: "GET",
  path: "/api/v1/webhooks",
  group: "Webhooks",
  summary: "List the webhooks of the accounts that you administer",
  for: "user",
  answer: z.object({ items: z.array(webhook) }),
} as const satisfies Route;

export const createWebhook = {
  method: "POST",
  path: "/api/v1/webhooks",
  group: "Webhooks",
  summary: "Have an address told of events",
  for: "user",
  body: z.strictObject({
    url: z.url({ protocol: /^https?$/ }).max(2000),
    account: z.string().max(64).optional().describe("Yours, unless you name an organisation"),
    package: packageName.optional(),
    types: z.array(z.enum(eventTypes)).max(eventTypes.length).default([]),
  }),
  status: 201,
  answer: webhook
    .extend({ secret: z.string().describe("Signs each message; shown this once") })
    .meta({ id: "NewWebhook" }),
} as const satisfies Route;

export const deleteWebhook = {
  method: "DELETE",
  path: "/api/v1/webhooks/{id}",
  group: "Webhooks",
  summary: "Stop telling an address",
  for: "user",
  params: z.strictObject({ id }),
  answer: webhook,
} as const satisfies Route;

export const listDeliveries = {
  method: "GET",
  path: "/api/v1/webhooks/{id}/deliveries",
  group: "Webhooks",
  summary: "List the last messages to a webhook, newest first",
  for: "user",
  params: z.strictObject({ id }),
  answer: z.object({
    items: z.array(
      z.object({
        sequence: z.int().describe("Of the event"),
        attempts: z.int(),
        status: z
          .int()
          .nullable()
          .describe("What the receiver answered last; null: nobody answered"),
        deliveredAt: moment.nullable(),
        nextAttemptAt: moment.nullable().describe("Null: delivered, or given up"),
      }),
    ),
  }),
} as const satisfies Route;
