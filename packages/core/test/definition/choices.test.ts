import { describe, expect, test } from "vitest";

import { episode } from "../../src/engine.ts";
import {
  assistantMessage,
  type Board,
  type Choice,
  defineEnvironment,
  end,
  evaluate,
  invalid,
  policy,
} from "../../src/index.ts";
import { checkReport } from "../../src/testing/index.ts";

interface Rules {
  readonly choices?: (left: number) => readonly (string | Choice)[];
  readonly board?: (left: number) => Board;
  readonly isStrict?: boolean;
}

const row = (left: number): Board => ({
  label: `${left} matches`,
  rows: [
    [
      { text: "", label: "take 1", reply: "1" },
      { text: "", label: "take 2", reply: left > 1 ? "2" : undefined },
    ],
  ],
});

const takes = (left: number): readonly Choice[] =>
  [1, 2]
    .filter((take) => take <= left)
    .map((take) => ({ reply: `${take}`, label: `Take ${take}` }));

/** A game of matches: the player takes one or two of five until none is left. */
const matches = ({ choices = takes, board = row, isStrict = true }: Rules = {}) =>
  defineEnvironment({
    name: "matches",
    dataset: () => [{ prompt: "Five matches." }, { prompt: "5 matches." }],
    setup: () => ({ left: 5 }),
    respond({ reply, state }) {
      if (!/^[12]$/.test(reply) || Number(reply) > state.left) {
        if (isStrict) return invalid("Take 1 or 2.");
        return "What?";
      }
      state.left -= Number(reply);
      return state.left === 0 ? end("All taken.") : `${state.left} left.`;
    },
    game: { choices: ({ state }) => choices(state.left), board: ({ state }) => board(state.left) },
    rubric: { empty: ({ state }) => Number(state.left === 0) },
    policies: { two: ({ state }) => (state.left > 1 ? "2" : "1") },
  });

const problemOf = async (rules: Rules): Promise<string | undefined> => {
  const report = await checkReport(matches(rules));
  return report.find(({ name }) => name === "every choice is a legal reply")!.problem;
};

const start = async (rules: Rules = {}) => {
  const game = episode(matches(rules)(), { prompt: "Five matches." });
  await game.start();
  return game;
};

describe("choices", () => {
  test("lists the legal replies of a position with labels", async () => {
    const game = await start();
    expect(await game.choices()).toEqual([
      { reply: "1", label: "Take 1" },
      { reply: "2", label: "Take 2" },
    ]);
    await game.step(assistantMessage("2"));
    await game.step(assistantMessage("2"));
    expect(await game.choices()).toEqual([{ reply: "1", label: "Take 1" }]);
  });

  test("lists a text as its own label", async () => {
    const game = await start({ choices: () => ["1"] });
    expect(await game.choices()).toEqual([{ reply: "1", label: "1" }]);
  });

  test("lists nothing after the end", async () => {
    const game = await start({ choices: () => ["1"] });
    game.stop("tokens");
    expect(await game.choices()).toEqual([]);
  });

  test("resolves to undefined for an environment without choices", async () => {
    const plain = defineEnvironment({
      name: "plain",
      dataset: () => [{ prompt: "Hi." }],
      rubric: { zero: () => 0 },
    });
    const open = episode(plain(), { prompt: "Hi." });
    await open.start();
    expect(await open.choices()).toBeUndefined();
    expect(await open.board()).toBeUndefined();
  });

  test.for([
    ["number", 3],
    ["a list with 3", [3]],
    ["a list with null", [null]],
    ['a list with {"label":"a"}', [{ label: "a" }]],
    ['a list with {"reply":"a","label":1}', [{ reply: "a", label: 1 }]],
  ] as const)("fails with code environment if choices returns %s", async ([text, value]) => {
    const game = await start({ choices: () => value as never });
    await expect(game.choices()).rejects.toMatchObject({
      code: "environment",
      message: expect.stringContaining(`choices returned ${text}. It must return`) as string,
    });
  });

  test("rejects a definition whose choices are a list", () => {
    const choices = ["1", "2"] as never;
    expect(() =>
      defineEnvironment({
        name: "lists",
        dataset: () => [{ prompt: "Hi." }],
        game: { choices },
        rubric: { zero: () => 0 },
      }),
    ).toThrow("lists has game.choices that is a list. Write a function of the position");
  });
});

describe("invalid", () => {
  test("asks the model again, counts the turn and marks the observation", async () => {
    const game = await start();
    expect(await game.step(assistantMessage("three"))).toEqual({
      messages: [{ role: "user", content: "Take 1 or 2." }],
      isDone: false,
      isInvalid: true,
      stopReason: undefined,
    });
    expect(game.turns).toBe(1);
    expect(game.state.left).toBe(5);
  });

  test("does not mark the observation of a legal reply", async () => {
    const game = await start();
    expect(await game.step(assistantMessage("1"))).not.toHaveProperty("isInvalid");
  });
});

describe("board", () => {
  test("describes the position, also after the end", async () => {
    const game = await start();
    for (const reply of ["2", "2", "1"]) await game.step(assistantMessage(reply));
    expect(await game.board()).toEqual({
      label: "0 matches",
      rows: [
        [
          { text: "", label: "take 1", reply: "1" },
          { text: "", label: "take 2" },
        ],
      ],
    });
  });

  test.for([
    ["null", "expected object, received null", null],
    ["no label", "at label", { rows: [] }],
    ["0 rows", "at rows", { label: "", rows: [] }],
    ["65 rows", "at rows", { label: "", rows: Array.from({ length: 65 }, () => []) }],
    ["a row that is not a list", "at rows[0]", { label: "", rows: ["X"] }],
    ["a square without a label", "at rows[0][0].label", { label: "", rows: [[{ text: "X" }]] }],
  ] as const)("fails with code environment if board returns %s", async ([, text, value]) => {
    const game = await start({ board: () => value as never });
    await expect(game.board()).rejects.toMatchObject({
      code: "environment",
      message: expect.stringContaining(text) as string,
    });
  });
});

describe("the policy random", () => {
  test("plays legal replies in every environment with choices", async () => {
    const { rollouts, scores } = await evaluate(matches()(), {
      model: policy("random"),
      rolloutsPerExample: 20,
    });
    expect(scores.empty.mean).toBe(1);
    const replies = new Set(
      rollouts.flatMap(({ trajectory }) => trajectory.map(({ message }) => message.content)),
    );
    expect(replies).toEqual(new Set(["1", "2"]));
  });

  test("fails the rollout if choices is empty before the end", async () => {
    const { rollouts } = await evaluate(matches({ choices: () => [] })(), {
      model: policy("random"),
      examples: 1,
    });
    expect(rollouts[0]).toMatchObject({
      status: "failed",
      error: { code: "environment", message: expect.stringContaining("no reply") as string },
    });
  });

  test("is listed among the policies of an unknown name", async () => {
    await expect(evaluate(matches()(), { model: policy("rndom") })).rejects.toThrow(
      'matches has no policy named "rndom". It has: two, random.',
    );
  });
});

describe("the conformance suite", () => {
  test("passes an environment whose choices are all legal", async () => {
    expect((await checkReport(matches())).filter(({ problem }) => problem !== undefined)).toEqual(
      [],
    );
  });

  test.for([
    ["that is empty before the end", { choices: () => [] }, "choices is empty"],
    ["that repeats a reply", { choices: () => ["1", "1"] }, 'choices has "1" twice'],
    ["with an illegal reply", { choices: () => ["1", "2", "9"] }, 'respond rejects the choice "9"'],
    [
      "in which a square plays an unlisted reply",
      { choices: () => ["1"] },
      'a square of the board plays "2", which is not a choice',
    ],
    [
      "beside which an empty reply counts as legal",
      { isStrict: false },
      "respond accepts an empty reply",
    ],
    [
      "that throws",
      {
        choices: () => {
          throw new Error("out of matches");
        },
      },
      "out of matches",
    ],
  ] as const)("reports a list %s", async ([, rules, problem]) => {
    expect(await problemOf(rules)).toContain(problem);
  });
});
