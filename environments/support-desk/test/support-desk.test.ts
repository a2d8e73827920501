import {
  assistantMessage,
  callTools,
  evaluate,
  type Model,
  type ModelRequest,
  policy,
  rollout,
} from "@envs/core";
import { examples } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { describe, expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import supportDesk from "../src/index.ts";
import { decide } from "../src/policy.ts";
import { scriptedJudge } from "./scripted-judge.ts";

const environment = supportDesk();

test("passes the conformance suite with a judge", async () => {
  await expect(
    checkEnvironment(supportDesk, {
      packageName: packageJson.name,
      judge: scriptedJudge,
      fullReward: 1.5,
    }),
  ).resolves.toBeUndefined();
});

test("passes the conformance suite without a judge", async () => {
  await expect(checkEnvironment(supportDesk, { fullReward: 1 })).resolves.toBeUndefined();
});

/** The scores that the README lists. */
test.for([
  ["clerk", 1, 1],
  ["generous", 0.45, 1],
  ["silent", 0, 1],
] as const)("policy:%s", async ([name, resolved, ended]) => {
  const { scores } = await evaluate(environment, {
    model: policy(name),
    skipJudged: true,
    examples: 300,
    rolloutsPerExample: 1,
  });
  expect(scores.resolved.mean).toBeCloseTo(resolved, 1);
  expect(scores.ended.mean).toBe(ended);
});

/** A model that plays these messages, and records its requests. */
function scripted(...replies: readonly (string | ReturnType<typeof assistantMessage>)[]) {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push(request);
    const reply = replies[requests.length - 1] ?? "Goodbye.";
    return { message: typeof reply === "string" ? assistantMessage(reply) : reply, finish: "stop" };
  };
  return { model, requests };
}

describe("a conversation", () => {
  test("has an agent that does not see the goal, and a customer that has no tools", async () => {
    for await (const { example } of examples(environment, { count: 1 })) {
      const agent = scripted("What is your email address?", "I am sorry, no.");
      const user = scripted("Hello, my order.", "My address is zoe@example.org.", "Goodbye.");
      const played = await rollout(environment, example, {
        model: { agent: agent.model, user: user.model },
        skipJudged: true,
      });
      expect(played).toMatchObject({ status: "scored", seat: "agent", otherSeats: { user: {} } });
      const [first] = agent.requests;
      expect(first!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
      expect(JSON.stringify(agent.requests)).not.toContain(example.customer.email);
      expect(first!.tools?.map(({ name }) => name)).toContain("refund");
      expect(user.requests[0]!.tools ?? []).toEqual([]);
      expect(JSON.stringify(user.requests)).not.toContain("Never refund");
      expect(played.otherSeats!["user"]!.scores).toMatchObject({ resolved: null });
    }
  });

  test("with a wrong action has feedback that names the right one", async () => {
    for await (const { example } of examples(environment, { count: 1 })) {
      const { id } = example.customer.orders[0]!;
      const look = callTools([["findOrders", { email: example.customer.email }]], 0);
      const agent = scripted(look, callTools([["escalate", { order: id }]], 1), "Bye.");
      const played = await rollout(environment, example, { model: agent.model, skipJudged: true });
      if (played.status === "failed") throw new Error(played.error.message);
      expect(played.scores).toMatchObject({ resolved: 0, escalated: 1 });
      expect(played.feedback?.["resolved"]).toMatch(
        /^The agent did: escalate A-\d+\. The policy allows: /u,
      );
    }
  });

  test("keeps an order from a second action", async () => {
    for await (const { example } of examples(environment, { count: 1 })) {
      const { id } = example.customer.orders[0]!;
      const twice = callTools(
        [
          ["refund", { order: id }],
          ["escalate", { order: id }],
        ],
        0,
      );
      const agent = scripted(twice, "Bye.");
      const { completion } = await rollout(environment, example, {
        model: agent.model,
        skipJudged: true,
      });
      expect(JSON.stringify(completion)).toContain("This order already had an action.");
    }
  });
});

test("applies the limits of the shop's policy on the last day", () => {
  const order = {
    id: "A-1",
    item: "lamp",
    price: 250,
    status: "delivered",
    isFinalSale: false,
  } as const;
  const refund = { wish: "refund", address: "" } as const;
  const outcome = (days: number, isMember: boolean, price = 250) =>
    decide({ isMember }, { ...order, days, price }, refund)?.kind;
  expect([outcome(30, false), outcome(31, false)]).toEqual(["refund", undefined]);
  expect([outcome(60, true), outcome(61, true)]).toEqual(["refund", undefined]);
  expect([outcome(30, false, 251), outcome(31, false, 251)]).toEqual(["escalate", undefined]);
  expect(
    decide({ isMember: true }, { ...order, days: 1, isFinalSale: true }, refund),
  ).toBeUndefined();
});
