import { assistantMessage, defineEnvironment, type Model, rollout, userMessage } from "@envs/core";
import fc from "fast-check";
import { expect, test } from "vitest";

import { advantages } from "../../src/algorithms/advantages.ts";
import {
  discountedReturns,
  observationsOf,
  turnAdvantages,
  type EpisodeTurns,
} from "../../src/algorithms/turn-credit.ts";

const episode: fc.Arbitrary<EpisodeTurns> = fc.record({
  reward: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined, freq: 5 }),
  observations: fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 }),
});
const groups = fc.array(fc.array(episode, { maxLength: 6 }), { maxLength: 3 });

test("returns are discounted per turn", () => {
  const observations = ["a", "b", "c"];
  expect(discountedReturns({ reward: 8, observations }, 0.5)).toEqual([2, 4, 8]);
  expect(discountedReturns({ reward: 8, observations, turnRewards: [1, 0, 4] }, 0.5)).toEqual([
    2, 2, 4,
  ]);
  expect(discountedReturns({ reward: 1, observations: [] }, 0.5)).toEqual([]);
  expect(() => discountedReturns({ reward: 1, observations, turnRewards: [1] }, 1)).toThrow(
    "3 turns has 1 turn rewards",
  );
});

test("turns with the same observation are compared", () => {
  const group: EpisodeTurns[] = [
    { reward: 1, observations: ["start", "fork"] },
    { reward: 0, observations: ["start", "fork"] },
    { reward: 1, observations: ["start", "other"] },
    { reward: undefined, observations: ["start", "fork"] },
  ];
  const rounded = (combine: "add" | "replace"): unknown =>
    turnAdvantages([group], { estimator: "dr_grpo", gamma: 1, stepWeight: 2, combine })[0]?.map(
      (turns) => turns?.map((value) => Math.round(value * 1000) / 1000),
    );
  expect(rounded("add")).toEqual([[1, 1.333], [-2, -1.667], [1, 0.333], undefined]);
  expect(rounded("replace")).toEqual([[0.667, 1], [-1.333, -1], [0.667, 0.333], undefined]);
});

test("turn rewards determine the credit of each turn", () => {
  const observations = ["start", "middle"];
  const group: EpisodeTurns[] = [
    { reward: 1, observations, turnRewards: [1, 0] },
    { reward: 1, observations, turnRewards: [0, 1] },
  ];
  const [first, second] = turnAdvantages([group], { estimator: "dr_grpo", gamma: 0.5 })[0]!;
  expect(first).toEqual([0.25, -0.5]);
  expect(second).toEqual([-0.25, 0.5]);
});

test("with stepWeight 0, every turn has the advantage of its episode", () => {
  fc.assert(
    fc.property(groups, (all) => {
      const episodes = advantages(all.map((group) => group.map(({ reward }) => reward)));
      expect(turnAdvantages(all, { stepWeight: 0 })).toEqual(
        all.map((group, place) =>
          group.map(({ observations }, member) => {
            const advantage = episodes[place]![member];
            return advantage === undefined ? undefined : observations.map(() => advantage);
          }),
        ),
      );
    }),
  );
});

test("step advantages of an observation sum to 0, separately per group", () => {
  fc.assert(
    fc.property(groups, (all) => {
      const together = turnAdvantages(all, { estimator: "dr_grpo", combine: "replace" });
      expect(together).toEqual(
        all.flatMap((group) =>
          turnAdvantages([group], { estimator: "dr_grpo", combine: "replace" }),
        ),
      );
      all.forEach((group, place) => {
        for (const key of ["a", "b", "c", "d"]) {
          const values = group.flatMap(({ observations }, member) =>
            observations.flatMap((observation, turn) => {
              const turns = together[place]![member];
              return observation === key && turns !== undefined ? [turns[turn]!] : [];
            }),
          );
          if (values.length > 1)
            expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
        }
      });
    }),
  );
});

test("turns are compared by their whole conversation, or by the messages since the last reply", async () => {
  const environment = defineEnvironment({
    name: "echo",
    description: "Repeats the reply.",
    systemPrompt: "Speak.",
    dataset: () => [{ prompt: "begin" }],
    respond: ({ reply }) => `echo ${reply}`,
    episode: { maxTurns: 3 },
    rubric: { fine: () => 1 },
  })();
  const replies = ["one", "one", "two"];
  let turn = -1;
  const model: Model = async () => {
    turn += 1;
    return { message: assistantMessage(replies[turn]!), finish: "stop" };
  };
  const played = await rollout(environment, { prompt: "begin" }, { model });
  // The second and the third turn follow the same message, but the third has one more reply before it.
  expect(new Set(observationsOf(played)).size).toBe(3);
  expect(JSON.parse(observationsOf(played)[1]!)).toEqual([
    { role: "system", content: "Speak." },
    userMessage("begin"),
    assistantMessage("one"),
    userMessage("echo one"),
  ]);
  expect(observationsOf(played, "message")).toEqual([
    JSON.stringify(["Speak.", userMessage("begin").content]),
    JSON.stringify(["echo one"]),
    JSON.stringify(["echo one"]),
  ]);
});
