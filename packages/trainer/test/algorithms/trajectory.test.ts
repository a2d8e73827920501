import { assistant, defineEnvironment, rollout, type Model } from "@envs/core";
import { isConfigError, type TokenTrace } from "@envs/core/engine";
import fc from "fast-check";
import { expect, test } from "vitest";

import {
  datumOf,
  sequencesOf,
  sequencesOfTurns,
  trainedTokens,
} from "../../src/algorithms/trajectory.ts";

const trace = (promptIds: number[], completionIds: number[]): { tokens: TokenTrace } => ({
  tokens: { promptIds, completionIds, completionLogprobs: completionIds.map((id) => -id / 10) },
});

test("a prompt that continues what was read and written continues the sequence", () => {
  expect(sequencesOfTurns([trace([1, 2], [3]), trace([1, 2, 3, 4], [5, 6])])).toEqual([
    {
      ids: [1, 2, 3, 4, 5, 6],
      turns: [-1, -1, 0, -1, 1, 1],
      logprobs: [0, 0, -0.3, 0, -0.5, -0.6],
    },
  ]);
});

test("a rewritten prompt starts a sequence of its own; a later turn continues the one it extends", () => {
  const turns = [trace([1, 2], [3]), trace([1, 9], [4]), trace([1, 2, 3, 7], [8])];
  expect(sequencesOfTurns(turns).map(({ ids, turns: owners }) => ({ ids, owners }))).toEqual([
    { ids: [1, 2, 3, 7, 8], owners: [-1, -1, 0, -1, 2] },
    { ids: [1, 9, 4], owners: [-1, -1, 1] },
  ]);
});

test("of two sequences that are alike, the later one is continued", () => {
  const turns = [trace([1], [2]), trace([1], [2]), trace([1, 2, 5], [6])];
  expect(sequencesOfTurns(turns).map(({ turns: owners }) => owners)).toEqual([
    [-1, 0],
    [-1, 1, -1, 2],
  ]);
});

test("every sampled token is trained on once, after exactly the tokens that it was sampled after", () => {
  const id = fc.integer({ min: 0, max: 2 });
  const ids = fc.array(id, { maxLength: 5 });
  const step = fc.record({
    keeps: fc.boolean(),
    given: fc.array(id, { minLength: 1, maxLength: 5 }),
    said: ids,
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      let context: number[] = [];
      const turns = steps.map(({ keeps, given, said }) => {
        const prompt = keeps ? [...context, ...given] : given;
        context = [...prompt, ...said];
        return trace(prompt, said);
      });
      const sequences = sequencesOfTurns(turns);
      turns.forEach(({ tokens }, turn) => {
        if (tokens.completionIds.length === 0) return;
        const holders = sequences.filter(({ turns: owners }) => owners.includes(turn));
        expect(holders).toHaveLength(1);
        const { ids, turns: owners } = holders[0]!;
        const start = owners.indexOf(turn);
        expect(ids.slice(0, start)).toEqual(tokens.promptIds);
        expect(ids.filter((_, place) => owners[place] === turn)).toEqual(tokens.completionIds);
      });
      const trained = sequences.reduce((sum, sequence) => sum + trainedTokens(sequence), 0);
      expect(trained).toBe(steps.reduce((sum, { said }) => sum + said.length, 0));
    }),
  );
});

test("a datum predicts each token from those before it, with the advantage of its turn", () => {
  const [sequence] = sequencesOfTurns([trace([1, 2], [3]), trace([1, 2, 3, 4], [5, 6])]);
  const datum = datumOf(sequence!, [0.5, -2], 0.25);
  expect(datum).toEqual({
    inputs: Int32Array.of(1, 2, 3, 4, 5),
    targets: Int32Array.of(2, 3, 4, 5, 6),
    weights: Float32Array.of(0, 0.25, 0, 0.25, 0.25),
    samplingLogprobs: Float32Array.of(0, -0.3, 0, -0.5, -0.6),
    advantages: Float32Array.of(0, 0.5, 0, -2, -2),
  });
  expect(trainedTokens(sequence!)).toBe(3);
  expect(() => datumOf(sequence!, [1])).toThrow("turn 2");
});

test("what cannot be trained on is refused in words", () => {
  expect(() => sequencesOfTurns([trace([1], [2]), { tokens: undefined }])).toThrow("Turn 2");
  const short = { tokens: { promptIds: [1], completionIds: [2, 3], completionLogprobs: [-1] } };
  expect(() => sequencesOfTurns([short])).toThrow("2 tokens but 1 log-probabilities");
});

const environment = defineEnvironment({
  name: "say",
  description: "Listens.",
  dataset: () => [{ prompt: "Speak." }],
  rubric: { fine: () => 1 },
})();
const speaker =
  (finish: "stop" | "length"): Model =>
  async () => ({ message: assistant("b"), finish, ...trace([1], [2]) });

test("failed rollouts have no sequences, truncated ones only if they are not masked", async () => {
  const play = (model: Model): ReturnType<typeof rollout> =>
    rollout(environment, { prompt: "Speak." }, { model });
  const cut = await play(speaker("length"));
  expect(sequencesOf(cut)).toHaveLength(1);
  expect(sequencesOf(cut, { maskTruncated: true })).toEqual([]);
  expect(sequencesOf(await play(speaker("stop")), { maskTruncated: true })).toHaveLength(1);
  const broken = await play(async () => {
    throw new Error("no electricity");
  });
  expect(sequencesOf(broken)).toEqual([]);
});

test("a model that reports no tokens is named as the reason", async () => {
  const model: Model = async () => ({ message: assistant("b"), finish: "stop" });
  const played = await rollout(environment, { prompt: "Speak." }, { model });
  try {
    sequencesOf(played);
    expect.unreachable();
  } catch (error) {
    expect(isConfigError(error)).toBe(true);
    expect(String(error)).toContain("return_token_ids");
  }
});
