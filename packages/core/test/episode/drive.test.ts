import fc from "fast-check";
import { expect, test } from "vitest";

import { replay } from "../../src/engine.ts";
import { defineEnvironment, end, policy, rollout } from "../../src/index.ts";

const walk = defineEnvironment({
  name: "walk",
  *dataset({ random }) {
    for (;;) yield { prompt: "Walk.", goal: random.int(5) };
  },
  setup: ({ random }) => ({ at: random.int(3), path: "" }),
  respond({ reply, state, random, example }) {
    state.path += reply;
    state.at += random.for(state.path).int(3) - 1;
    return state.at === example.goal ? end("There.") : `You are at ${state.at}.`;
  },
  episode: { maxTurns: 12 },
  rubric: { at: ({ state }) => state.at },
  policies: { wander: ({ random }) => random.pick(["left", "right"]) },
});

test("replay() leads to the same messages, state and score", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat({ max: 9 }), async (seed, rolloutIndex) => {
      const example = { prompt: "Walk.", goal: 4, id: "a" };
      const model = policy("wander");
      const played = await rollout(walk(), example, { model, seed, rolloutIndex });
      const { completion } = played;
      const again = await replay(walk(), example, { seed, completion });
      expect(again.completion).toEqual(completion);
      expect(played).toMatchObject({ status: "scored", stopReason: again.stopReason });
      expect(played).toMatchObject(await again.score());
      await again.close();
    }),
  );
});

test("replay() of half a conversation can be continued", async () => {
  const example = { prompt: "Walk.", goal: 99, id: "a" };
  const { completion } = await rollout(walk(), example, { model: policy("wander"), seed: 1 });
  const resumed = await replay(walk(), example, { seed: 1, completion: completion.slice(0, 6) });
  expect(resumed.turns).toBe(3);
  for (const message of completion.slice(6))
    if (message.role === "assistant") await resumed.step(message);
  expect(resumed.completion).toEqual(completion);
});
