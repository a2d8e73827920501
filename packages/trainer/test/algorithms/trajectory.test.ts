import { assistantMessage, defineEnvironment, type Model, rollout } from "@envs/core";
import { type AgentCall, isConfigError, type TokenTrace } from "@envs/core/engine";
import fc from "fast-check";
import { expect, test } from "vitest";

import {
  datumOf,
  hasTokens,
  sequencesOf,
  sequencesOfTurns,
  trainedTokens,
} from "../../src/algorithms/trajectory.ts";

const trace = (promptIds: number[], completionIds: number[]): { tokens: TokenTrace } => ({
  tokens: { promptIds, completionIds, completionLogprobs: completionIds.map((id) => -id / 10) },
});

test("a prompt that continues the tokens of a sequence continues the sequence", () => {
  expect(sequencesOfTurns([trace([1, 2], [3]), trace([1, 2, 3, 4], [5, 6])])).toEqual([
    {
      ids: [1, 2, 3, 4, 5, 6],
      turns: [-1, -1, 0, -1, 1, 1],
      logprobs: [0, 0, -0.3, 0, -0.5, -0.6],
    },
  ]);
});

test("a rewritten prompt starts a new sequence; a later turn continues the sequence of its prefix", () => {
  const turns = [trace([1, 2], [3]), trace([1, 9], [4]), trace([1, 2, 3, 7], [8])];
  expect(
    sequencesOfTurns(turns).map(({ ids, turns: turnOfToken }) => ({ ids, turnOfToken })),
  ).toEqual([
    { ids: [1, 2, 3, 7, 8], turnOfToken: [-1, -1, 0, -1, 2] },
    { ids: [1, 9, 4], turnOfToken: [-1, -1, 1] },
  ]);
});

test("a turn continues the later of two equal sequences", () => {
  const turns = [trace([1], [2]), trace([1], [2]), trace([1, 2, 5], [6])];
  expect(sequencesOfTurns(turns).map(({ turns: turnOfToken }) => turnOfToken)).toEqual([
    [-1, 0],
    [-1, 1, -1, 2],
  ]);
});

test("every sampled token is trained once, after the tokens of its prompt", () => {
  const id = fc.integer({ min: 0, max: 2 });
  const ids = fc.array(id, { maxLength: 5 });
  const step = fc.record({
    continues: fc.boolean(),
    added: fc.array(id, { minLength: 1, maxLength: 5 }),
    reply: ids,
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      let context: number[] = [];
      const turns = steps.map(({ continues, added, reply }) => {
        const prompt = continues ? [...context, ...added] : added;
        context = [...prompt, ...reply];
        return trace(prompt, reply);
      });
      const sequences = sequencesOfTurns(turns);
      turns.forEach(({ tokens }, turn) => {
        if (tokens.completionIds.length === 0) return;
        const matches = sequences.filter(({ turns: turnOfToken }) => turnOfToken.includes(turn));
        expect(matches).toHaveLength(1);
        const { ids, turns: turnOfToken } = matches[0]!;
        const start = turnOfToken.indexOf(turn);
        expect(ids.slice(0, start)).toEqual(tokens.promptIds);
        expect(ids.filter((_, index) => turnOfToken[index] === turn)).toEqual(tokens.completionIds);
      });
      const trained = sequences.reduce((sum, sequence) => sum + trainedTokens(sequence), 0);
      expect(trained).toBe(steps.reduce((sum, { reply }) => sum + reply.length, 0));
    }),
  );
});

test("a datum has the targets, log-probabilities and advantages of a sequence", () => {
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
  expect(() => datumOf(sequence!, [1])).toThrow(
    "Turn 2 has no advantage: 1 advantages were passed",
  );
});

test("turns without tokens or log-probabilities are rejected", () => {
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
  async () => ({ message: assistantMessage("b"), finish, ...trace([1], [2]) });

test("the sequences of an agent are those of its model calls, without helpers and calls beside its task", async () => {
  const ask = (question: string, tokens: TokenTrace, hasTools = true): AgentCall => ({
    dialect: "chat",
    requestedModel: "gpt",
    messages: [{ role: "user", content: question }],
    message: assistantMessage(`${question}!`),
    finish: "stop",
    usage: undefined,
    tokens,
    model: { start: 0, end: 1 },
    ...(hasTools && { tools: [{ name: "look-up", description: "", parameters: {} }] }),
  });
  const { tokens: first } = trace([1, 2], [3]);
  const { tokens: more } = trace([1, 2, 3, 4], [5]);
  const { tokens: forked } = trace([1, 2, 9], [6]);
  const calls = [
    ask("Title", trace([7], [8]).tokens, false),
    ask("First", first),
    ask("More", more),
    ask("Other", forked),
    { ...ask("Helper", trace([5], [6]).tokens), isHelper: true },
  ];
  const agent: Model = async () => ({ message: assistantMessage("b"), finish: "stop", calls });
  const played = await rollout(environment, { prompt: "Speak." }, { model: agent });
  expect(sequencesOf(played).map(({ ids, turns }) => ({ ids, turns }))).toEqual([
    { ids: [1, 2, 3, 4, 5], turns: [-1, -1, 0, -1, 0] },
    { ids: [1, 2, 9, 6], turns: [-1, -1, -1, 0] },
  ]);
  expect(hasTokens(played)).toBe(true);
  const untold: Model = async () => ({
    message: assistantMessage("b"),
    finish: "stop",
    calls: [{ ...calls[1]!, tokens: undefined }],
  });
  expect(hasTokens(await rollout(environment, { prompt: "Speak." }, { model: untold }))).toBe(
    false,
  );
});

test("failed and masked truncated rollouts have no sequences", async () => {
  const play = (model: Model): ReturnType<typeof rollout> =>
    rollout(environment, { prompt: "Speak." }, { model });
  const truncated = await play(speaker("length"));
  expect(sequencesOf(truncated)).toHaveLength(1);
  expect(sequencesOf(truncated, { maskTruncated: true })).toEqual([]);
  expect(sequencesOf(await play(speaker("stop")), { maskTruncated: true })).toHaveLength(1);
  const failed = await play(async () => {
    throw new Error("unavailable");
  });
  expect(sequencesOf(failed)).toEqual([]);
});

test("a rollout of a model without tokens is rejected with a remedy", async () => {
  const model: Model = async () => ({ message: assistantMessage("b"), finish: "stop" });
  const played = await rollout(environment, { prompt: "Speak." }, { model });
  try {
    sequencesOf(played);
    expect.unreachable();
  } catch (error) {
    expect(isConfigError(error)).toBe(true);
    expect(String(error)).toContain("return_token_ids");
  }
});

test("sub-model calls are sequences on request only, and belong to the turn in which they were made", async () => {
  const model: Model = async ({ messages }) => {
    const [prompt, completion] = messages.at(-1)!.content === "Go" ? [[1], [2]] : [[7], [8, 9]];
    return { message: assistantMessage("ok"), finish: "stop", ...trace(prompt, completion) };
  };
  const asking = defineEnvironment({
    name: "asking",
    dataset: () => [{ prompt: "Go" }],
    subModel: { maxCalls: 2 },
    setup: async ({ subModel }) => ({ hint: await subModel("Hint?") }),
    respond: async ({ subModel }) => (await subModel("More?")).text,
    episode: { maxTurns: 1 },
    rubric: { one: () => 1 },
  });
  const played = await rollout(asking(), { prompt: "Go" }, { model });
  expect(sequencesOf(played).map(({ ids }) => ids)).toEqual([[1, 2]]);
  expect(sequencesOf(played, { branches: true }).map(({ ids, turns }) => [ids, turns])).toEqual([
    [
      [1, 2],
      [-1, 0],
    ],
    [
      [7, 8, 9],
      [-1, 0, 0],
    ],
    [
      [7, 8, 9],
      [-1, 0, 0],
    ],
  ]);
});
