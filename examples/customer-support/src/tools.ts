import { tool, type ToolSet } from "ai";
import * as z from "zod";

import type { OrderStore } from "./orders.ts";

/** The actions of the agent on the store. */
export function supportTools(store: OrderStore): ToolSet {
  return {
    findOrders: tool({
      description: "Finds the orders of a customer by their email address.",
      inputSchema: z.object({ email: z.email() }),
      execute: ({ email }) => store.ordersOf(email),
    }),
    refund: tool({
      description: "Returns the full price of an order. This cannot be undone.",
      inputSchema: z.object({ orderId: z.string().describe("Such as A-1001") }),
      execute: ({ orderId }) => store.refund(orderId),
    }),
    escalate: tool({
      description: "Hands the conversation over to a person.",
      inputSchema: z.object({ reason: z.string() }),
      execute: ({ reason }) => {
        store.escalate(reason);
        return "A person will answer within a day.";
      },
    }),
  };
}
