import { evaluate, policy } from "@envs/core";
import { expect, test } from "vitest";

import tictactoe from "../src/index.ts";
import { beginner, opponentNames, opponents } from "../src/players.ts";
import { exactOdds, moveShares, type Odds, oddsOf, sharesOf } from "./exact.ts";

const games = 400;

/** The largest deviation of the three means from their probabilities, in standard deviations. */
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

test.each([
  ["random", { X: 1, O: 1 }],
  ["optimal", { X: 0, O: 1 }],
  ["random", { X: 1, O: 0 }],
  ["mixed", { X: 0.5, O: 0.25 }],
  ["mixed(0.2)", { X: 0.2, O: 0.8 }],
])("policy:%s has the enumerated probabilities with skills %j", async (name, skills) => {
  const environment = tictactoe({
    minRandomMoveProb: skills.O,
    maxRandomMoveProb: skills.O,
    examples: games,
  });
  const { scores } = await evaluate(environment, {
    model: policy(name),
    examples: games,
    rolloutsPerExample: 1,
    seed: 2,
  });
  expect(distance(scores, exactOdds(skills), games)).toBeLessThan(3);
});

test.each([
  ["careless", { X: 0.6, O: 1 }],
  ["careless", { X: 0.6, O: 0 }],
  ["careless(0.2)", { X: 0.2, O: 0.5 }],
])("policy:%s has the probabilities of a beginner with skills %j", async (name, skills) => {
  const environment = tictactoe({
    minRandomMoveProb: skills.O,
    maxRandomMoveProb: skills.O,
    examples: games,
  });
  const { scores } = await evaluate(environment, {
    model: policy(name),
    examples: games,
    rolloutsPerExample: 1,
  });
  const odds = oddsOf({
    X: (board) => sharesOf(board, beginner(board, "X"), skills.X),
    O: (board) => moveShares(board, "O", skills.O),
  });
  expect(distance(scores, odds, games)).toBeLessThan(3);
});

test.each(opponentNames)(
  "the probabilities against %s equal those of its moves",
  async (opponent) => {
    const environment = tictactoe({
      opponent,
      minRandomMoveProb: 0.25,
      maxRandomMoveProb: 0.25,
      examples: games,
    });
    const { scores } = await evaluate(environment, {
      model: policy("random"),
      examples: games,
      rolloutsPerExample: 1,
    });
    const odds = oddsOf({
      X: (board) => moveShares(board, "X", 1),
      O: (board) => sharesOf(board, opponents[opponent](board, "O"), 0.25),
    });
    expect(distance(scores, odds, games)).toBeLessThan(3.5);
  },
);
