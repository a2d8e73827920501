import doubleCheck from "@envs/double-check";
import fc from "fast-check";
import { test } from "vitest";

import { serve } from "../src/index.ts";
import { nemoClient } from "./support/nemo-client.ts";
import { type AgentAction, NemoModel } from "./support/nemo-model.ts";

const index = fc.integer({ min: 0, max: 3 });
const text = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map((answer) => `\\boxed{${answer}}`),
  fc.string({ unit: "binary" }),
);
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("seed_session", "reset"), index }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("respond", "step", "verify"), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("close", "drop cookie", "missing") }) },
) as fc.Arbitrary<AgentAction>;

test("agents get the rewards of their replies for any sequence of actions", async () => {
  await using server = await serve([doubleCheck()], { port: 0 });
  const play = async (actions: readonly AgentAction[]) => {
    const model = new NemoModel(nemoClient(server, "double-check"));
    for (const next of actions) await model.check(next);
  };
  const actions = fc.array(action, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(actions, actions, async (one, other) => {
      await Promise.all([play(one), play(other)]);
    }),
    { numRuns: 60 },
  );
});

test("no route returns a server error for any body", async () => {
  await using server = await serve([doubleCheck()], { port: 0 });
  const routes =
    `seed_session reset step verify close close_session respond aggregate_metrics`.split(" ");
  const item = fc.record(
    {
      type: fc.constantFrom("message", "function_call", "reasoning", "function_call_output", "x"),
      role: fc.constantFrom("assistant", "user"),
      call_id: fc.oneof(fc.string(), fc.integer()),
      name: fc.constantFrom("respond", "missing", ""),
      arguments: fc.oneof(fc.json(), fc.string(), fc.integer()),
      content: fc.oneof(fc.string(), fc.jsonValue()),
      summary: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({
      verifier_metadata: fc.record({ index }),
      response: fc.record({ output: fc.array(item) }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...routes), body)), async (requests) => {
      const agent = nemoClient(server, "double-check");
      await agent.post("seed_session", { verifier_metadata: { index: 0 } });
      for (const [route, requestBody] of requests) {
        const { status, text: detail } = await agent.post(route, requestBody);
        if (status >= 500) throw new Error(`${route}: ${status} ${detail}`);
      }
    }),
    { numRuns: 60 },
  );
});
