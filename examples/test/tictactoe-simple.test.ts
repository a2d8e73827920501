import { assistantMessage, evaluate, policy } from "@envs/core";
import { episode } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import tictactoe from "../tictactoe-simple.ts";

const example = { prompt: "012\n345\n678\n", game: 1 };

test("passes the conformance suite", async () => {
  await expect(checkEnvironment(tictactoe)).resolves.toBeUndefined();
});

test("policy:centre wins more than half of the games", async () => {
  const { scores, reward } = await evaluate(tictactoe(), {
    model: policy("centre"),
    examples: 300,
    rolloutsPerExample: 1,
  });
  expect(scores.format.mean).toBe(1);
  expect(scores.win.mean).toBeGreaterThan(0.5);
  expect(reward.max).toBeCloseTo(1.2, 12);
});

test("an invalid move loses the game", async () => {
  const game = episode(tictactoe(), example);
  await game.start();
  const { isDone, messages } = await game.step(assistantMessage("<think>?</think><move>9</move>"));
  expect(isDone).toBe(true);
  expect(messages.at(-1)?.content).toContain("You lose.");
  expect(await game.score()).toEqual({ reward: 0.2, scores: { win: 0, format: 1 } });
});

test("three in a row win the game", async () => {
  const game = episode(tictactoe(), example);
  await game.start();
  game.state.board = "XX2OO5678";
  await game.step(assistantMessage("<move>2</move>"));
  expect(game.state.result).toBe("You win.");
  expect(await game.score()).toEqual({ reward: 1, scores: { win: 1, format: 0 } });
});
