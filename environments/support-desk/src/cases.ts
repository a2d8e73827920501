import {
  address,
  type Customer,
  customer,
  type RandomSource,
  type Wish,
  wishes,
} from "./orders.ts";
import { decide } from "./policy.ts";

/** An example: a customer of the shop and their hidden goal. */
export interface Case {
  readonly prompt: readonly [];
  readonly customer: Customer;
  /** The order that the customer means. */
  readonly order: string;
  readonly wish: Wish;
  /** The new address of the order, if the customer wishes one. */
  readonly address: string;
}

/** Draws a case. Each third has the same wish, and the policy of the shop declines half of them. */
export function drawCase(index: number, random: RandomSource): Case {
  const wish = wishes[index % wishes.length]!;
  const isDeclined = Math.floor(index / wishes.length) % 2 === 1;
  for (;;) {
    const drawn = customer(random);
    const order = random.pick(drawn.orders);
    const goal = { wish, address: address(random) };
    if ((decide(drawn, order, goal) === undefined) === isDeclined)
      return { prompt: [], customer: drawn, order: order.id, ...goal };
  }
}

/** The name of the item that the customer means. */
export function itemOf({ customer: { orders }, order }: Case): string {
  return orders.find(({ id }) => id === order)!.item;
}

/** The wish in the words of the customer. */
export function wishText(example: Case): string {
  const item = itemOf(example);
  return {
    refund: `I want my money back for the ${item}.`,
    cancel: `Please cancel my order of the ${item}.`,
    move: `Please send the ${item} to ${example.address} instead.`,
  }[example.wish];
}
