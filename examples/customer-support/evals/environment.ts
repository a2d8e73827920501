import { defineEnvironment, end } from "@envs/core";
import { environmentTools } from "@envs/gateway/ai-sdk";

import { OrderStore } from "../src/orders.ts";
import { sampleOrders } from "../src/sample-orders.ts";
import { supportTools } from "../src/tools.ts";
import { cases } from "./cases.ts";

export default defineEnvironment({
  name: "customer-support",
  description: "Serve a customer of a shop with the application's own tools, within its policy.",
  dataset: () => [...cases],

  // Each trial has its own store, and the application's tools work on it.
  setup: () => ({ store: new OrderStore(sampleOrders), hasAnswered: false }),
  tools: ({ state }) => environmentTools(supportTools(state.store)),

  /** The customer: gives their address when asked, and leaves otherwise. */
  respond({ reply, state, example: { email } }) {
    if (email === undefined || state.hasAnswered || !/e-?mail[^]*\?/iu.test(reply)) return end();
    state.hasAnswered = true;
    return `Sure, it is ${email}.`;
  },

  episode: { maxTurns: 16 },

  rubric: {
    solved({ state: { store }, reply, example: { goal } }) {
      const problems = [
        ...missing(
          "refunded",
          goal.refunds,
          store.refunds.map(({ orderId }) => orderId),
        ),
        ...(goal.escalated === store.escalations.length > 0
          ? []
          : [goal.escalated ? "It did not escalate." : "It escalated without a reason."]),
        ...(reply.includes(goal.mentions)
          ? []
          : [`The last reply does not mention ${goal.mentions}.`]),
      ];
      return { score: problems.length === 0, feedback: problems.join(" ") };
    },
  },
  metrics: {
    brief: {
      description: "1 if the last reply has at most 60 words",
      range: [0, 1],
      score: ({ reply }) => reply.split(/\s+/u).length <= 60,
    },
  },
});

function missing(verb: string, expected: readonly string[], actual: readonly string[]): string[] {
  if (expected.join() === actual.join()) return [];
  const list = (ids: readonly string[]): string => ids.join(", ") || "nothing";
  return [`It ${verb} ${list(actual)} instead of ${list(expected)}.`];
}
