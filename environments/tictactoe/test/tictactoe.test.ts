import {
  assistant,
  ConfigError,
  episode,
  evaluate,
  examples,
  type InferExample,
  policy,
  rollout,
} from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { outcome } from "../src/game.ts";
import tictactoe from "../src/index.ts";
import { exactOdds, type Odds } from "./exact.ts";

type Game = InferExample<typeof tictactoe>;

async function gamesOf(environment: ReturnType<typeof tictactoe>, count: number): Promise<Game[]> {
  const games: Game[] = [];
  for await (const { example } of examples(environment, { count })) games.push(example);
  return games;
}

/** Plays the given replies, then scores. */
async function play(replies: readonly string[], config = {}, seed = 0) {
  const environment = tictactoe({ maxRandomMoveProb: 0, ...config });
  const [example] = await gamesOf(environment, 1);
  const game = episode(environment, example!, { seed });
  await game.start();
  const answers: string[] = [];
  for (const reply of replies) {
    const { messages } = await game.step(assistant(reply));
    answers.push(...messages.map(({ content }) => content));
  }
  return { game, answers, ...(await game.score()) };
}

/** How far the means of many games are from the odds, in standard deviations; the largest of the three. */
function distance(
  scores: { readonly [Name in "won" | "draw" | "loss"]: { readonly mean: number | null } },
  odds: Odds,
  games: number,
): number {
  const measured = { win: scores.won.mean!, draw: scores.draw.mean!, loss: scores.loss.mean! };
  const distances = (["win", "draw", "loss"] as const).map((name) => {
    const deviation = Math.sqrt((odds[name] * (1 - odds[name])) / games);
    const off = Math.abs(measured[name] - odds[name]);
    return off < 1e-9 ? 0 : off / deviation;
  });
  return Math.max(...distances);
}

test("it keeps what every environment keeps", async () => {
  await expect(
    checkEnvironment(tictactoe, { packageName: packageJson.name }),
  ).resolves.toBeUndefined();
});

test("the best against the best draws every game", async () => {
  const { scores, reward, counts } = await evaluate(tictactoe({ maxRandomMoveProb: 0 }), {
    model: policy("optimal"),
    examples: 200,
    rolloutsPerExample: 1,
  });
  expect(counts).toMatchObject({ scored: 200, truncated: 0 });
  expect(scores.draw.mean).toBe(1);
  expect(reward.mean).toBeCloseTo(0.5 + 0.2, 12);
});

test.each([
  ["random", { X: 1, O: 1 }],
  ["optimal", { X: 0, O: 1 }],
  ["random", { X: 1, O: 0 }],
  ["mixed", { X: 0.5, O: 0.25 }],
  ["mixed(0.2)", { X: 0.2, O: 0.8 }],
])("policy:%s comes to the odds that enumeration gives %j", async (name, skills) => {
  const environment = tictactoe({
    minRandomMoveProb: skills.O,
    maxRandomMoveProb: skills.O,
    examples: 2500,
  });
  const { scores } = await evaluate(environment, {
    model: policy(name),
    examples: 2500,
    rolloutsPerExample: 1,
    seed: 2,
  });
  expect(distance(scores, exactOdds(skills), 2500)).toBeLessThan(3);
});

test("won, draw and loss of a finished game add up to one, and win is worth the same", async () => {
  const { rollouts } = await evaluate(tictactoe(), { model: policy("random"), examples: 60 });
  for (const each of rollouts) {
    if (each.status !== "scored") throw new Error(each.error.message);
    const { won, draw, loss, win, turns } = each.scores;
    expect(won! + draw! + loss!).toBe(1);
    expect(win).toBe(won! + draw! / 2);
    expect(turns).toBe(each.trajectory.length);
  }
});

test("two rollouts that reach the same board get the same reply, in every run", async () => {
  const environment = tictactoe({ minRandomMoveProb: 0.5, maxRandomMoveProb: 0.5 });
  const games = await gamesOf(environment, 40);
  for (const example of games) {
    const answers = new Map<string, string>();
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const game = episode(environment, example, { seed: attempt });
      await game.start();
      while (game.stopReason === undefined) {
        const reply = await game.askPolicy("random", attempt);
        const before = `${game.state.board} ${/<move>(\d)/u.exec(reply.content)?.[1]}`;
        await game.step(reply);
        expect(answers.get(before) ?? game.state.board).toBe(game.state.board);
        answers.set(before, game.state.board);
      }
    }
  }
});

test("the opponent's reply depends on the board, not on the way to it", async () => {
  const environment = tictactoe({ minRandomMoveProb: 1, examples: 400 });
  const reached = new Map<string, string>();
  let shared = 0;
  for (const example of await gamesOf(environment, 300)) {
    for (const [first, second] of [
      [0, 8],
      [8, 0],
      [2, 6],
      [6, 2],
      [1, 7],
      [7, 1],
    ]) {
      const game = episode(environment, example);
      await game.start();
      for (const cell of [first, second]) {
        const before = game.state.board;
        if (before[cell!] !== "." || game.stopReason !== undefined) break;
        await game.step(assistant(`<move>${cell}</move>`));
        const moved = before.slice(0, cell) + "X" + before.slice(cell! + 1);
        if (outcome(moved) !== "open") break;
        const key = `${example.seed} ${moved}`;
        if (reached.has(key)) shared += 1;
        expect(reached.get(key) ?? game.state.board).toBe(game.state.board);
        reached.set(key, game.state.board);
      }
    }
  }
  expect(shared).toBeGreaterThan(20);
});

test("the probability of a random move belongs to the example and to its part of the range", async () => {
  const environment = tictactoe({
    minRandomMoveProb: 0.2,
    maxRandomMoveProb: 0.7,
    numGroups: 5,
    examples: 50,
  });
  const games = await gamesOf(environment, Infinity);
  expect(games).toHaveLength(50);
  games.forEach(({ randomMoveProb }, index) => {
    expect(randomMoveProb).toBeGreaterThanOrEqual(0.2 + (index % 5) * 0.1 - 1e-9);
    expect(randomMoveProb).toBeLessThanOrEqual(0.3 + (index % 5) * 0.1 + 1e-9);
  });
});

test("half of the games begin with O's move, and the dataset has a thousand of them", async () => {
  const games = await gamesOf(tictactoe(), Infinity);
  expect(games).toHaveLength(1000);
  const second = games.filter(({ board }) => board.includes("O")).length;
  expect(Math.abs(second - 500)).toBeLessThan(48);
});

test("an invalid move is told, may be tried again, and costs 0.1 once", async () => {
  const { answers, scores, game } = await play(["I pass.", "<move>nine</move>", "<move>9</move>"]);
  expect(answers.map((answer) => answer.split("\n")[0])).toMatchInlineSnapshot(`
    [
      "Invalid move. Your reply has no complete pair of <move> tags. Try again.",
      "Invalid move. A move is one number from 0 to 8. Try again.",
      "Invalid move. There is no such position. Try again.",
    ]
  `);
  expect(answers[0]).toContain("Free positions:");
  expect(scores).toMatchObject({ invalidMove: -0.1, win: 0, won: 0, draw: 0, loss: 0, turns: 3 });
  expect(game.state.invalidMoves).toBe(3);
});

test("a game that is not over after maxTurns turns is unfinished", async () => {
  const { game, scores } = await play(["<move>0</move>", "no"], { maxTurns: 2 });
  expect(game.stopReason).toBe("turns");
  expect(scores).toMatchObject({ win: 0, won: 0, draw: 0, loss: 0 });
});

test("the default limit is eight turns", async () => {
  const { game } = await play(Array.from({ length: 12 }, () => "I do not know."));
  expect(game.turns).toBe(8);
});

test("format is the share of replies with a thought before the move", async () => {
  const { scores } = await play([
    "<think>a</think><move>x</move>",
    "<move>x</move>",
    "<move>x</move><think>b</think>",
    "?",
  ]);
  expect(scores.format).toBe(0.25);
});

test("the last of several moves counts", async () => {
  const { game } = await play(["<move>0</move> no, <move>8</move>"]);
  expect(game.state.board[8]).toBe("X");
  expect(game.state.board[0]).not.toBe("X");
});

test("a won game is worth 1.2", async () => {
  const environment = tictactoe({ minRandomMoveProb: 1 });
  const { rollouts } = await evaluate(environment, { model: policy("optimal"), examples: 20 });
  const rewards = rollouts.map((each) => (each.status === "scored" ? each.reward : Number.NaN));
  expect(Math.max(...rewards)).toBeCloseTo(1.2, 12);
});

test("first-free takes the free position with the least number", async () => {
  const environment = tictactoe({ maxRandomMoveProb: 0 });
  const [example] = await gamesOf(environment, 1);
  const played = await rollout(environment, example!, { model: policy("first-free") });
  const expected = example!.board.indexOf(".");
  expect(played.completion[0]?.content).toContain(`<move>${expected}</move>`);
});

test.each<[object, string]>([
  [
    { minRandomMoveProb: 0.8, maxRandomMoveProb: 0.2 },
    "minRandomMoveProb: must not be greater than maxRandomMoveProb",
  ],
  [{ maxRandomMoveProb: 1.5 }, "maxRandomMoveProb"],
  [{ numGroups: 0 }, "numGroups"],
  [{ maxTurns: 2.5 }, "maxTurns"],
  [{ examples: -1 }, "examples"],
  [{ maxRandomMoveProbability: 1 }, "maxRandomMoveProbability"],
])("the config %j is refused by name", (config, message) => {
  expect(() => tictactoe(config)).toThrow(ConfigError);
  expect(() => tictactoe(config)).toThrow(message);
});
