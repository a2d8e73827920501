import { type AssistantMessage, callTools, type Message, textOf } from "@envs/core";

import type { Case } from "./cases.ts";
import { type Action, decide } from "./policy.ts";

/** The message of an agent that asks for everything first, then does what `choose` returns, and reports it. */
export function clerk(
  example: Case,
  { messages, turns }: { readonly messages: readonly Message[]; readonly turns: number },
  choose: (example: Case) => Action | undefined = lawful,
): AssistantMessage | string {
  const { email } = example.customer;
  const heard = messages.some(
    ({ role, content }) => role === "user" && textOf(content).includes(email),
  );
  if (!heard) return "What can I do for you, and what is your email address?";
  const results = messages.filter(({ role }) => role === "tool").length;
  if (results === 0) return callTools([["findOrders", { email }]], turns);
  const action = choose(example);
  if (action === undefined) return "I am sorry, the rules of our shop do not allow this.";
  if (results === 1) return callTools([callOf(action)], turns);
  return action.kind === "escalate"
    ? "A person of our team decides this, and will write to you."
    : "I have done this for you.";
}

/** The decision by the policy of the shop. */
function lawful(example: Case): Action | undefined {
  return decide(
    example.customer,
    example.customer.orders.find(({ id }) => id === example.order)!,
    example,
  );
}

/** The action that the customer wishes, in every case. */
export function generous({ wish, order, address }: Case): Action {
  return wish === "move" ? { kind: "move", order, address } : { kind: wish, order };
}

function callOf(action: Action): [string, Readonly<Record<string, string>>] {
  const { kind, ...input } = action;
  return [kind === "move" ? "changeAddress" : kind, input];
}
