import { assistantMessage, type Message, random, textOf } from "@envs/core";
import { episode, examples, type Player } from "@envs/core/engine";
import { type Ask, positions, probe, exactOpponents, walk } from "@envs/tictactoe/exact";
import { expect, test } from "vitest";

import { type Board, emptyBoard, freeCells, type Mark, outcome } from "../src/game.ts";
import tictactoe from "../src/index.ts";
import { bestMoves } from "../src/minimax.ts";
import { opponents } from "../src/players.ts";
import { openBoards } from "./boards.ts";
import { moveShares, oddsOf, sharesOf } from "./exact.ts";

type Choose = (board: Board) => number | undefined;

const perfect: Choose = (board) => bestMoves(board, "X")[0];
const firstFree: Choose = (board) => board.indexOf(".");
/** Loses to forks. */
const person: Choose = (board) => opponents.human(board, "X")[0];

/** The board that the last message of a conversation shows. */
function shown(messages: readonly Message[]): Board {
  const rows = textOf(messages.at(-1)!.content)
    .split("\n")
    .filter((line) => line.includes(" | "));
  return rows
    .join(" | ")
    .split(" | ")
    .map((cell) => (/\d/u.test(cell) ? "." : cell))
    .join("");
}

/** Moves to any free cell. */
function wanderer(seed: number): Player {
  return async ({ messages }) => {
    const board = shown(messages);
    const cell = random(seed, board).pick(freeCells(board));
    return { message: assistantMessage(`<think>-</think><move>${cell}</move>`), finish: "stop" };
  };
}

/** A model that plays the cell of `choose` and records its conversations. */
function player(choose: Choose): { ask: Ask; asked: string[]; batches: number[] } {
  const asked: string[] = [];
  const batches: number[] = [];
  const ask: Ask = async (conversations) => {
    batches.push(conversations.length);
    return conversations.map((messages) => {
      asked.push(JSON.stringify(messages));
      return `<think>${messages.length}</think><move>${choose(shown(messages))}</move>`;
    });
  };
  return { ask, asked, batches };
}

test.each<[string, Choose]>([
  ["perfect", perfect],
  ["first-free", firstFree],
  ["human-like", person],
])("the walk of a %s player equals the enumerated probabilities", async (_, choose) => {
  const tallies = await walk(player(choose).ask, { opponents: exactOpponents });
  for (const rival of exactOpponents) {
    const { win, draw, loss } = oddsOf({
      X: (board) => [{ cell: choose(board)!, share: 1 }],
      O: (board) =>
        rival === "random"
          ? moveShares(board, "O", 1)
          : sharesOf(board, opponents[rival](board, "O"), 0),
    });
    expect(tallies[rival].win).toBeCloseTo(win, 12);
    expect(tallies[rival].draw).toBeCloseTo(draw, 12);
    expect(tallies[rival].loss).toBeCloseTo(loss, 12);
    expect(tallies[rival].invalid).toBe(0);
  }
});

test.each<[string, Choose]>([
  ["perfect", (board) => bestMoves(board, "O")[0]],
  ["first-free", firstFree],
])(
  "the walk of a %s player in the seat O equals the enumerated probabilities",
  async (_, choose) => {
    const tallies = await walk(player(choose).ask, { opponents: exactOpponents, seat: "O" });
    for (const rival of exactOpponents) {
      const shares = (board: Board, mark: Mark) =>
        rival === "random"
          ? moveShares(board, mark, 1)
          : sharesOf(board, opponents[rival](board, mark), 0);
      const odds = oddsOf({
        X: (board) => shares(board, "X"),
        // If O starts, the strategy of the opponent chooses the first move.
        O: (board) =>
          board === emptyBoard ? shares(board, "O") : [{ cell: choose(board)!, share: 1 }],
      });
      const { win, draw, loss, invalid } = tallies[rival];
      expect([win, draw, loss].map((each) => each.toFixed(10))).toEqual(
        [odds.loss, odds.draw, odds.win].map((each) => each.toFixed(10)),
      );
      expect(invalid).toBe(0);
    }
  },
);

test("a report for a README compiles", async () => {
  const { ask } = player(perfect);
  // #region report
  const { minimax, random } = await walk(ask, { opponents: ["minimax", "random"] });
  const odds = [random.win, random.draw, random.loss, random.invalid];
  const isMaster = minimax.losingLines.length === 0 && random.missedWins.length === 0;

  const { keepsValue, shortestWin, evenShapes } = await probe(ask);
  // #endregion
  expect(odds.reduce((sum, share) => sum + share)).toBeCloseTo(1, 12);
  expect([isMaster, keepsValue, shortestWin, evenShapes]).toEqual([true, 1, 1, 1]);
});

test("the optimal player has no losing lines and takes every shortest win", async () => {
  const { minimax, random } = await walk(player(perfect).ask, { opponents: ["minimax", "random"] });
  expect(minimax).toMatchObject({ win: 0, loss: 0, losingLines: [], missedWins: [] });
  expect(random).toMatchObject({ loss: 0, losingLines: [], missedWins: [] });
  expect(minimax.draw).toBeCloseTo(1, 12);
  expect([minimax.lines, random.lines]).toEqual([185, 642]);
});

test("losing lines are games that O wins", async () => {
  const { minimax } = await walk(player(person).ask, { opponents: ["minimax"] });
  expect(minimax.losingLines).toHaveLength(12);
  expect(new Set(minimax.losingLines.map(String)).size).toBe(12);
  for (const line of minimax.losingLines) expect(outcome(line.at(-1)!)).toBe("O");
});

test("reports a missed win with its board and its move", async () => {
  const { random } = await walk(player(firstFree).ask, { opponents: ["random"] });
  expect(random.missedWins.length).toBeGreaterThan(0);
  for (const { board, cell, isStillWon } of random.missedWins) {
    expect(cell).toBe(firstFree(board));
    expect(bestMoves(board, "X")).not.toContain(cell);
    expect(isStillWon).toBeTypeOf("boolean");
  }
});

test("an invalid move ends a line", async () => {
  const { ask, batches } = player(() => 9);
  const { minimax } = await walk(ask, { opponents: ["minimax"] });
  expect(minimax).toMatchObject({ win: 0, draw: 0, loss: 0, lines: 10 });
  expect(minimax.invalid).toBeCloseTo(1, 12);
  expect(minimax.invalidLines).toHaveLength(10);
  expect(batches).toEqual([10]);
});

test("asks each conversation once, in one batch per turn", async () => {
  const { ask, asked, batches } = player(firstFree);
  await walk(ask, { opponents: exactOpponents });
  expect(new Set(asked).size).toBe(asked.length);
  expect(batches.length).toBeLessThanOrEqual(5);
});

test.each(["X", "O"] as const)("the conversations of %s equal those of its games", async (seat) => {
  const { ask, asked } = player(person);
  await walk(ask, { opponents: ["random"], seat });
  const walked = new Set(asked);
  const met = new Set<string>();
  const environment = tictactoe({ examples: 300 });
  for await (const { example } of examples(environment, { count: 300 })) {
    const game = episode(environment, example, {
      seat,
      players: seat === "O" ? { X: wanderer(example.seed) } : {},
    });
    await game.start();
    while (game.stopReason === undefined) {
      met.add(JSON.stringify(game.messages));
      const [reply] = await ask([game.messages]);
      await game.step(assistantMessage(reply!));
    }
  }
  expect(met.size).toBeGreaterThan(100);
  expect([...met].filter((conversation) => !walked.has(conversation))).toEqual([]);
});

test("rejects too few replies", async () => {
  await expect(walk(async () => [], { opponents: ["minimax"] })).rejects.toThrow(
    "10 conversations got 0 replies. Return one reply for each conversation, in order.",
  );
});

test("the positions are all open boards on which X moves", () => {
  const expected = openBoards().filter(({ mover }) => mover === "X");
  expect([...positions()].toSorted()).toEqual(expected.map(({ board }) => board).toSorted());
  expect(positions()).toHaveLength(4520);
});

test("a probe of the optimal player finds no misplays", async () => {
  const { ask, batches } = player(perfect);
  expect(await probe(ask)).toEqual({
    positions: 4520,
    invalid: 0,
    keepsValue: 1,
    shortestWin: 1,
    shapes: 627,
    evenShapes: 1,
    misplays: [],
  });
  expect(batches).toEqual([4520]);
});

test("a probe reports lost value, and different results on rotated boards", async () => {
  const { keepsValue, shortestWin, evenShapes, invalid, misplays } = await probe(
    player(firstFree).ask,
  );
  const ofFour = [keepsValue, shortestWin, evenShapes].map((share) => Number(share.toFixed(4)));
  expect(ofFour).toEqual([0.5865, 0.4168, 0.311]);
  expect(invalid).toBe(0);
  const given = misplays.filter(({ lost }) => lost === "value");
  expect(given.length / 4520).toBeCloseTo(1 - keepsValue, 12);
  for (const { best, cell } of misplays) expect(best).not.toContain(cell);
});

test("an invalid move counts as lost value", async () => {
  const { invalid, keepsValue, shortestWin } = await probe(player(() => undefined).ask);
  expect([invalid, keepsValue, shortestWin]).toEqual([1, 0, 0]);
});
