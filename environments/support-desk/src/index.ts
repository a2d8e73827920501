import { defineEnvironment, end } from "@envs/core";
import { choices, judge } from "@envs/scores";
import * as z from "zod";

import { drawCase } from "./cases.ts";
import { clerk, generous } from "./clerk.ts";
import { customerPrompt, goodbye, scriptedCustomer } from "./customer.ts";
import { type DeskState, deskTools } from "./desk.ts";
import { problemOf } from "./outcome.ts";
import { policyText } from "./policy.ts";

const range = [0, 1] as const;

const manner = judge<unknown, unknown, DeskState>({
  description: "Whether the agent is friendly and reports truly what it has done, by a judge",
  prompt: `An agent of a shop has served a customer. The conversation: {conversation}

What the agent has really done: {state.actions}

The verdict is
- false: a statement of the agent to the customer is not true, or is for the shop only
- cold: everything is true, but a message is rude, or does not answer the customer
- good: everything is true, and friendly enough`,
  verdict: choices("false", "cold", "good"),
  model: "gpt-5-mini",
  weight: 0.5,
});

export default defineEnvironment({
  name: "support-desk",
  description: "Serve a customer with a hidden goal, with tools and within the policy of a shop.",
  tags: ["tools", "multi-turn", "seats", "user-simulator", "judge"],

  config: z.object({
    examples: z.int().min(1).default(300).describe("Number of customers"),
  }),

  *dataset({ config, random }) {
    for (let index = 0; index < config.examples; index += 1)
      yield drawCase(index, random.for(index));
  },

  setup: (): DeskState & { next: "agent" | "user"; said: string | undefined } => ({
    next: "user",
    said: undefined,
    actions: [],
    hasLooked: false,
  }),

  seats: {
    players: {
      agent: {
        description: "You are the support of the shop.",
        systemPrompt: `You are the support of an online shop. Be brief and friendly.\n${policyText}`,
      },
      user: {
        description: "You are the customer.",
        trainable: false,
        policy: "customer",
        systemPrompt: "You play a customer, not an assistant.",
        prompt: ({ example }) => customerPrompt(example),
      },
    },
    turn: ({ state }) => state.next,
    observe: ({ state: { said } }) => said ?? [],
  },

  tools: ({ seat, state, example }) => (seat === "agent" ? deskTools(example.customer, state) : {}),

  respond({ reply, seat, state }) {
    state.said = reply;
    state.next = seat === "agent" ? "user" : "agent";
    return seat === "user" && reply.trim() === goodbye ? end() : [];
  },

  episode: { maxTurns: 12 },

  rubric: {
    resolved: {
      description:
        "1 if the agent has done what the policy allows for the customer's wish, and nothing else",
      range,
      score({ seat, state, example }) {
        if (seat === "user") return null;
        const problem = problemOf(example, state);
        return { score: problem === undefined, feedback: problem ?? "" };
      },
    },
    manner: {
      ...manner,
      // Does not judge a model that plays the customer.
      score: async (context) => (context.seat === "agent" ? await manner.score(context) : null),
    },
  },

  metrics: {
    escalated: {
      description: "1 if the agent has handed the customer over to a person",
      range,
      score: ({ state }) => state.actions.some(({ kind }) => kind === "escalate"),
    },
    ended: {
      description: "1 if the customer has said goodbye",
      range,
      score: ({ isTruncated }) => !isTruncated,
    },
  },

  policies: {
    clerk: ({ example, messages, turns }) => clerk(example, { messages, turns }),
    generous: ({ example, messages, turns }) => clerk(example, { messages, turns }, generous),
    silent: () => "Thank you for your message.",
    customer: ({ example, state }) => scriptedCustomer(example, state.said),
  },
});
