import { assistant } from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import { expect, test } from "vitest";

import tictactoe from "../src/index.ts";

const reply = (cell: number) => assistant(`<think>win: none</think><move>${cell}</move>`);

/** The first game that X begins. */
async function emptyGame() {
  for await (const { example } of examples(tictactoe()))
    if (example.board === ".........") return example;
  throw new Error("There is always one.");
}

test("an opponent that plays O receives the board, and the reason after an invalid move", async () => {
  const asked: string[] = [];
  const answers = ["", "nine", "9", "4", " 1 "];
  const game = episode(tictactoe(), await emptyGame(), {
    opponent: async ({ text, problem }) => {
      asked.push(problem ?? text.split("\n")[2]!);
      return answers.shift()!;
    },
  });
  await game.start();
  const { messages } = await game.step(reply(4));
  expect(game.state.board).toBe(".O..X....");
  expect(messages[0]?.content).toContain("0 | O | 2\n");
  expect(asked).toEqual([
    "3 | X | 5",
    "A move is one number from 0 to 8.",
    "A move is one number from 0 to 8.",
    "There is no such position.",
    "Position 4 is occupied.",
  ]);
});

test("an opponent is asked only during the game", async () => {
  const moves = ["3", "4"];
  const game = episode(tictactoe(), await emptyGame(), { opponent: async () => moves.shift()! });
  await game.start();
  for (const cell of [0, 1, 2]) await game.step(reply(cell));
  expect(game.stopReason).toBe("end");
  expect(await game.score()).toMatchObject({ scores: { won: 1 } });
  expect(moves).toEqual([]);
});
