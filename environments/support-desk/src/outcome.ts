import type { Case } from "./cases.ts";
import type { DeskState } from "./desk.ts";
import { type Action, decide } from "./policy.ts";

/** Why an agent has not done what the policy allows; `undefined` if it has. */
export function problemOf(example: Case, { actions, hasLooked }: DeskState): string | undefined {
  if (!hasLooked) return "The agent has not looked at the customer's orders.";
  const order = example.customer.orders.find(({ id }) => id === example.order)!;
  const expected = decide(example.customer, order, example);
  const done = actions.map(describe).join(", ") || "nothing";
  const right = expected === undefined ? "nothing" : describe(expected);
  return done === right ? undefined : `The agent did: ${done}. The policy allows: ${right}.`;
}

function describe(action: Action): string {
  const { kind, order } = action;
  return kind === "move" ? `move ${order} to ${action.address.trim()}` : `${kind} ${order}`;
}
