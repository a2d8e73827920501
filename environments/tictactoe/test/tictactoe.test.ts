import {
  assistantMessage,
  ConfigError,
  evaluate,
  type InferExample,
  policy,
  rollout,
  textOf,
} from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { freeCells, outcome } from "../src/game.ts";
import tictactoe from "../src/index.ts";
import { positions } from "../src/positions.ts";

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
    const { messages } = await game.step(assistantMessage(reply));
    answers.push(...messages.map(({ content }) => textOf(content)));
  }
  return { game, answers, ...(await game.score()) };
}

test("passes the conformance suite", async () => {
  await expect(
    checkEnvironment(tictactoe, { packageName: packageJson.name }),
  ).resolves.toBeUndefined();
});

test.each([
  { start: "any", speedBonus: 0.3 },
  { start: "every", faithfulWeight: 0.3 },
  { opponent: "minimax-last", turnOpponent: true },
  { wording: "varied", drawing: "varied" },
  { wording: "held-out", drawing: "held-out", start: "every", rounds: 2 },
])("passes the conformance suite with the config %j", async (config) => {
  await expect(checkEnvironment(tictactoe, { config, examples: 8 })).resolves.toBeUndefined();
});

test("policy:optimal draws every game against the optimal opponent", async () => {
  const { scores, reward, counts } = await evaluate(tictactoe({ maxRandomMoveProb: 0 }), {
    model: policy("optimal"),
    examples: 200,
    rolloutsPerExample: 1,
  });
  expect(counts).toMatchObject({ scored: 200, truncated: 0 });
  expect(scores.draw.mean).toBe(1);
  expect(reward.mean).toBeCloseTo(0.5 + 0.2, 12);
});

test("won, draw and loss add up to 1, and agree with win", async () => {
  const { rollouts } = await evaluate(tictactoe(), { model: policy("random"), examples: 60 });
  for (const each of rollouts) {
    if (each.status !== "scored") throw new Error(each.error.message);
    const { won, draw, loss, win, replies } = each.scores;
    expect(won! + draw! + loss!).toBe(1);
    expect(win).toBe(won! + draw! / 2);
    expect(replies).toBe(each.trajectory.length);
    expect(each.scores).toMatchObject({ invalid: 0, faithful: 1, speed: null, faithfulness: null });
  }
});

test("two rollouts that reach the same board get the same reply", async () => {
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

test("the opponent's reply depends on the board and not on earlier moves", async () => {
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
        await game.step(assistantMessage(`<move>${cell}</move>`));
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

test("randomMoveProb is in the example's part of the range, and the same for all its rollouts", async () => {
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

test("the dataset has 1,000 games, half of which begin with O's move", async () => {
  const games = await gamesOf(tictactoe(), Infinity);
  expect(games).toHaveLength(1000);
  const second = games.filter(({ board }) => board.includes("O")).length;
  expect(Math.abs(second - 500)).toBeLessThan(48);
});

test("an invalid move is explained, can be repeated and costs 0.1 once", async () => {
  const { answers, scores, reward, game } = await play([
    "I pass.",
    "<move>nine</move>",
    "<move>9</move>",
  ]);
  expect(answers.map((answer) => answer.split("\n")[0])).toMatchInlineSnapshot(`
    [
      "Invalid move. Your reply has no complete pair of <move> tags. Try again.",
      "Invalid move. A move is one number from 0 to 8. Try again.",
      "Invalid move. There is no such position. Try again.",
    ]
  `);
  expect(answers[0]).toContain("Free positions:");
  expect(scores).toMatchObject({
    invalid: 1,
    win: 0,
    won: 0,
    draw: 0,
    loss: 0,
    replies: 3,
  });
  expect(reward).toBe(-0.1);
  expect(game.state.invalidMoves).toEqual({ X: 3, O: 0 });
});

test("a game ends unfinished after maxTurns turns", async () => {
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

test("uses the last of several moves", async () => {
  const { game } = await play(["<move>0</move> no, <move>8</move>"]);
  expect(game.state.board[8]).toBe("X");
  expect(game.state.board[0]).not.toBe("X");
});

test("a won game has the reward 1.2", async () => {
  const environment = tictactoe({ minRandomMoveProb: 1 });
  const { rollouts } = await evaluate(environment, { model: policy("optimal"), examples: 20 });
  const rewards = rollouts.map((each) => (each.status === "scored" ? each.reward : Number.NaN));
  expect(Math.max(...rewards)).toBeCloseTo(1.2, 12);
});

test("policy:first-free takes the free position with the lowest number", async () => {
  const environment = tictactoe({ maxRandomMoveProb: 0 });
  const [example] = await gamesOf(environment, 1);
  const played = await rollout(environment, example!, { model: policy("first-free") });
  const expected = example!.board.indexOf(".");
  expect(played.completion[0]?.content).toContain(`<move>${expected}</move>`);
});

test("games can begin at random positions, and at every position once", async () => {
  const all = positions();
  const any = await gamesOf(tictactoe({ start: "any", examples: 3000 }), Infinity);
  expect(any).toHaveLength(3000);
  expect(any.every(({ board }) => all.includes(board))).toBe(true);
  const every = await gamesOf(tictactoe({ start: "every", examples: 3 }), Infinity);
  expect(every.map(({ board }) => board).toSorted()).toEqual([...all].toSorted());
});

test("random start positions have every number of marks equally often", async () => {
  const games = await gamesOf(tictactoe({ start: "any", examples: 3600 }), Infinity);
  const stages = Map.groupBy(games, ({ board }) => freeCells(board).length);
  expect([...stages.keys()].toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  // 400 of each: 3.5 standard deviations are 66.
  for (const stage of stages.values()) expect(Math.abs(stage.length - 400)).toBeLessThan(66);
  const second = new Set(stages.get(8)!.map(({ board }) => board));
  expect(second.size).toBe(9);
});

test("policy:optimal keeps the value of any position", async () => {
  const environment = tictactoe({ start: "any", maxRandomMoveProb: 0 });
  const { scores } = await evaluate(environment, { model: policy("optimal"), examples: 200 });
  expect(scores.missedWin.mean).toBe(0);
  expect(scores.slowWin.mean).toBe(0);
});

test("an opponent that sees the board rotated plays a line and its images", async () => {
  const answers = async (config: object): Promise<Set<string>> => {
    const games = {
      maxRandomMoveProb: 0,
      opponent: "first-free",
      examples: 200,
      ...config,
    } as const;
    const environment = tictactoe(games);
    const first = new Set<string>();
    for (const { board } of await gamesOf(environment, 200)) first.add(board);
    return first;
  };
  expect([...(await answers({}))].toSorted()).toEqual([".........", "O........"]);
  expect([...(await answers({ turnOpponent: true }))].toSorted()).toEqual([
    "........." /* The corners: images of cell 0. */,
    "........O",
    "......O..",
    "..O......",
    "O........",
  ]);
});

test("a faster win earns more, up to speedBonus", async () => {
  const environment = tictactoe({ minRandomMoveProb: 1, speedBonus: 0.2, examples: 60 });
  const { rollouts } = await evaluate(environment, { model: policy("optimal"), examples: 60 });
  const byTurns = new Map<string, number>();
  for (const each of rollouts) {
    if (each.status !== "scored") throw new Error(each.error.message);
    const { won, speed, replies } = each.scores;
    const began = JSON.stringify(each.prompt).includes("| O") ? "second" : "first";
    if (won === 0) expect(speed).toBe(0);
    else byTurns.set(`${began} ${replies}`, speed!);
    expect(each.reward).toBeCloseTo(each.scores.win! + 0.2 + speed!, 12);
  }
  expect(byTurns.get("first 3")).toBeCloseTo(0.2, 12);
  expect(byTurns.get("first 4")).toBeCloseTo(0.1, 12);
});

test("faithful is the share of stated facts, faithfulness that of all facts", async () => {
  const empty = "win: none; block: none; fork: none; trap: none";
  const reply = (think: string): string => `<think>${think}</think><move>x</move>`;
  const options = { faithfulWeight: 0.5, start: "opening" };
  const scoresOf = async (...thoughts: string[]) => {
    const { scores } = await play(thoughts.map(reply), options);
    return [scores.faithful, scores.faithfulness];
  };
  expect(await scoresOf(empty)).toEqual([1, 0.5]);
  expect(await scoresOf(empty, "I take it.")).toEqual([1, 0.25]);
  expect((await scoresOf("win: none; fork: 3"))[0]).toBe(0.5);
  expect((await scoresOf("win: none; fork: 3"))[1]).toBeCloseTo(0.5 / 4, 12);
  expect(await scoresOf("Nothing.")).toEqual([null, 0]);
});

test.each<[object, string]>([
  [
    { minRandomMoveProb: 0.8, maxRandomMoveProb: 0.2 },
    "minRandomMoveProb: must not be greater than maxRandomMoveProb",
  ],
  [{ maxRandomMoveProb: 1.5 }, "maxRandomMoveProb"],
  [{ numGroups: 0 }, "numGroups"],
  [{ maxTurns: 2.5 }, "maxTurns"],
  [{ opponent: "perfect" }, "opponent"],
  [{ start: "middle" }, "start"],
  [{ speedBonus: -1 }, "speedBonus"],
  [{ faithfulWeight: 2 }, "faithfulWeight"],
  [{ examples: -1 }, "examples"],
  [{ maxRandomMoveProbability: 1 }, "maxRandomMoveProbability"],
])("rejects the config %j and names the option", (config, message) => {
  expect(() => tictactoe(config)).toThrow(ConfigError);
  expect(() => tictactoe(config)).toThrow(message);
});
