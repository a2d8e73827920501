import { defineEnvironment, end } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";

import { collectGroups } from "../../src/train/collect-groups.ts";
import { type RlPhase, trainingPlan } from "../../src/train/plan.ts";

/** Every rollout wins; a good first reply wins at once. */
const race = defineEnvironment({
  name: "race",
  dataset: () => [{ prompt: "Go." }],
  respond: ({ reply, turns }) => (reply === "fast" || turns === 2 ? end("Won.") : "Go on."),
  episode: { maxTurns: 2 },
  rubric: { won: () => 1 },
});

function phaseWith(advantage: object): RlPhase {
  const { phases } = trainingPlan.parse({
    phases: {
      rl: { kind: "rl", steps: 1, sources: [{ groups: 1 }], rolloutsPerExample: 4, advantage },
    },
  });
  return phases["rl"] as RlPhase;
}

test.each([
  ["kept with turn credit", { credit: "turn" }, 1],
  ["dropped without", { credit: "rollout" }, 0],
  ["dropped if turns have no weight", { credit: "turn", stepWeight: 0 }, 0],
  ["dropped if turns are not discounted", { credit: "turn", gamma: 1 }, 0],
])("a group of equal rewards whose turns differ is %s", async (_, advantage, kept) => {
  let replies = 0;
  const model = scriptedModel(() => ((replies += 1) === 1 ? "fast" : "slow"));
  const { signal } = new AbortController();
  const options = { factory: race, model, signal, seed: "0", step: 0 };
  const { groups, zeroVariance } = await collectGroups({ ...options, phase: phaseWith(advantage) });
  expect([groups.length, zeroVariance]).toEqual([kept, 1 - kept]);
});
