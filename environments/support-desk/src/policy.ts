import type { Customer, Order, Wish } from "./orders.ts";

/** The final action of the agent for a customer. */
export type Action =
  | { readonly kind: "refund" | "cancel" | "escalate"; readonly order: string }
  | { readonly kind: "move"; readonly order: string; readonly address: string };

/** The rules that the agent reads. `decide` follows them. */
export const policyText = `- Ask for the customer's email address first, and find their orders.
- Refund an order that was delivered at most 30 days ago; for members, at most 60 days ago. Never refund a final sale.
- Escalate an order above 250 euros instead of refunding it, if a cheaper one would be refunded.
- Cancel an order, or change its address, only while it is processing. A final sale can be cancelled too.
- Decline everything else, and name the rule. Do nothing that the customer has not asked for.`;

/** The action that the policy of the shop allows for a wish; `undefined` if the agent declines it. */
export function decide(
  { isMember }: Pick<Customer, "isMember">,
  { id, price, status, days, isFinalSale }: Order,
  { wish, address }: { readonly wish: Wish; readonly address: string },
): Action | undefined {
  if (wish !== "refund") {
    if (status !== "processing") return undefined;
    return wish === "cancel" ? { kind: "cancel", order: id } : { kind: "move", order: id, address };
  }
  if (status !== "delivered" || isFinalSale || days > (isMember ? 60 : 30)) return undefined;
  return { kind: price > 250 ? "escalate" : "refund", order: id };
}
