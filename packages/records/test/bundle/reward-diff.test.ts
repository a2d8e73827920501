import { defineEnvironment, policy, rollouts, type ScoredRollout } from "@envs/core";
import { bundleClient, bundleRequests, recordOf, rewardDiffer } from "@envs/records/bundle";
import { expect, it } from "vitest";

/** Models are policies: `long` writes five letters and `short` one. */
const words = (
  options: {
    readonly prompt?: string;
    readonly reward?: (length: number) => number;
    readonly first?: boolean;
  } = {},
) =>
  defineEnvironment({
    name: "words",
    dataset: () => [
      ...(options.first === true ? [{ prompt: "Zero" }] : []),
      { prompt: "One" },
      { prompt: options.prompt ?? "Two" },
    ],
    rubric: { length: ({ reply }) => (options.reward ?? ((length) => length))(reply.length) },
    policies: { long: () => "abcde", short: () => "a" },
  });

async function played(model: string): Promise<readonly ScoredRollout[]> {
  const all: ScoredRollout[] = [];
  for await (const rollout of rollouts(words()(), {
    model: policy(model),
    examples: 2,
    rolloutsPerExample: 1,
  }))
    if (rollout.status === "scored") all.push(rollout);
  return all;
}

async function diffOf(changed: ReturnType<typeof words>) {
  const { replay } = bundleClient(bundleRequests(changed));
  const differ = rewardDiffer(1e-12);
  for (const model of ["long", "short"])
    for (const rollout of await played(model)) {
      const { exampleIndex: index, exampleKey: key } = rollout;
      const response = await replay({
        example: { index, key, isMovable: true },
        rollouts: [recordOf(rollout)!],
      }).catch((error: Error) => ({ rollouts: [{ problem: error.message }] }));
      differ.add(model, rollout, response.rollouts[0]!);
    }
  return differ.result();
}

it("finds no difference in an environment that did not change", async () => {
  expect(await diffOf(words())).toMatchObject({
    rollouts: 4,
    rescored: 0,
    conversations: 0,
    unplayable: 0,
    isSame: true,
  });
});

it("finds no difference when an example was added before the others", async () => {
  expect(await diffOf(words({ first: true }))).toMatchObject({ rollouts: 4, isSame: true });
});

it("reports by how much rewards change and which models swap places", async () => {
  const { isSame, rescored, scores, models } = await diffOf(
    words({ reward: (length) => 10 - length }),
  );
  expect([isSame, rescored]).toEqual([false, 2]);
  expect(scores[0]).toEqual({ name: "reward", changed: 2, before: 3, after: 7, largest: 8 });
  expect(models).toEqual([
    { model: "long", rollouts: 2, before: 5, after: 5, rankBefore: 1, rankAfter: 2 },
    { model: "short", rollouts: 2, before: 1, after: 9, rankBefore: 2, rankAfter: 1 },
  ]);
});

it("counts rollouts of examples that do not exist any longer", async () => {
  expect(await diffOf(words({ prompt: "Three" }))).toMatchObject({
    isSame: false,
    rescored: 0,
    unplayable: 2,
    problem: expect.stringMatching(/^Example 1 of the dataset has the key/) as string,
  });
});
