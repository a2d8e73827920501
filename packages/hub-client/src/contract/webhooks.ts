import * as z from "zod";

import { eventTypes } from "./events.ts";
import { timestamp, packageName } from "./fields.ts";
import type { Route } from "./route.ts";

/** A URL that receives events. */
export const webhook = z
  .object({
    id: z.uuid(),
    account: z.string().describe("The user or organisation whose packages are observed"),
    package: z.string().nullable().describe("Null for all packages of the account"),
    url: z.string(),
    types: z.array(z.enum(eventTypes)).describe("Empty for all types"),
    createdAt: timestamp,
  })
  .meta({ id: "Webhook" });

/** A URL that receives events. */
export type Webhook = z.output<typeof webhook>;

const id = z.uuid();

export const listWebhooks = {
  method: "GET",
  path: "/api/v1/webhooks",
  group: "Webhooks",
  summary: "List the webhooks of accounts that you administer",
  for: "user",
  response: z.object({ items: z.array(webhook) }),
} as const satisfies Route;

export const createWebhook = {
  method: "POST",
  path: "/api/v1/webhooks",
  group: "Webhooks",
  summary: "Send events to a URL",
  for: "user",
  body: z.strictObject({
    url: z.url({ protocol: /^https?$/ }).max(2000),
    account: z.string().max(64).optional().describe("An organisation. Default: your own account"),
    package: packageName.optional(),
    types: z.array(z.enum(eventTypes)).max(eventTypes.length).default([]),
  }),
  status: 201,
  response: webhook
    .extend({ secret: z.string().describe("Signs each message. It is not shown again") })
    .meta({ id: "NewWebhook" }),
} as const satisfies Route;

export const deleteWebhook = {
  method: "DELETE",
  path: "/api/v1/webhooks/{id}",
  group: "Webhooks",
  summary: "Delete a webhook",
  for: "user",
  params: z.strictObject({ id }),
  response: webhook,
} as const satisfies Route;

export const listDeliveries = {
  method: "GET",
  path: "/api/v1/webhooks/{id}/deliveries",
  group: "Webhooks",
  summary: "List the last deliveries of a webhook, newest first",
  for: "user",
  params: z.strictObject({ id }),
  response: z.object({
    items: z.array(
      z.object({
        sequence: z.int().describe("The sequence number of the event"),
        attempts: z.int(),
        status: z
          .int()
          .nullable()
          .describe("The status of the last response; null without a response"),
        deliveredAt: timestamp.nullable(),
        nextAttemptAt: timestamp
          .nullable()
          .describe("Null if it was delivered, or will not be retried"),
      }),
    ),
  }),
} as const satisfies Route;
