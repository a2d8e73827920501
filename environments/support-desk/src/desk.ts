import { tool, type Toolset } from "@envs/core";
import * as z from "zod";

import type { Customer, Order } from "./orders.ts";
import type { Action } from "./policy.ts";

/** The actions of the agent, in order. */
export interface DeskState {
  readonly actions: Action[];
  /** The agent has seen the customer's orders. */
  hasLooked: boolean;
}

const order = z.string().describe("The id of the order, such as A-1001");

/** The tools of the agent. They work on the customer's orders, once their address is known. */
export function deskTools(customer: Customer, state: DeskState): Toolset {
  const { actions } = state;
  // The tools do not enforce the policy, because following it is the agent's task.
  const act = (action: Action): string => {
    const { kind, order: id } = action;
    if (customer.orders.every((each) => each.id !== id))
      throw new Error(`There is no order ${id}.`);
    if (actions.some((done) => done.order === id))
      throw new Error("This order already had an action.");
    actions.push(action);
    return `Done: ${kind} ${id}.`;
  };
  return {
    findOrders: tool({
      description: "Finds the orders of a customer by their email address.",
      input: z.object({ email: z.string() }),
      execute({ email }) {
        if (email.trim().toLowerCase() !== customer.email) return "No customer has this address.";
        state.hasLooked = true;
        const { isMember, orders } = customer;
        return { isMember, orders: orders.map(described) };
      },
    }),
    refund: tool({
      description: "Returns the price of an order. This cannot be undone.",
      input: z.object({ order }),
      execute: (input) => act({ kind: "refund", ...input }),
    }),
    cancel: tool({
      description: "Cancels an order. This cannot be undone.",
      input: z.object({ order }),
      execute: (input) => act({ kind: "cancel", ...input }),
    }),
    changeAddress: tool({
      description: "Changes the address of an order.",
      input: z.object({ order, address: z.string().describe("As the customer writes it") }),
      execute: (input) => act({ kind: "move", ...input }),
    }),
    escalate: tool({
      description: "Hands an order over to a person.",
      input: z.object({ order }),
      execute: (input) => act({ kind: "escalate", ...input }),
    }),
  };
}

function described({ id, item, price, status, days, isFinalSale }: Order) {
  const delivered = status === "delivered" ? { deliveredDaysAgo: days } : {};
  return { order: id, item, price, status, ...delivered, isFinalSale };
}
