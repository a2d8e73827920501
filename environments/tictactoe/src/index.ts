import { defineEnvironment, end, random, xmlParser } from "@envs/core";
import * as z from "zod";

import { gameOver, readMove, tryAgain, yourTurn } from "./conversation.ts";
import { factsOf, writeFacts } from "./facts.ts";
import { type Board, emptyBoard, freeCells, outcome, place } from "./game.ts";
import { bestMoves } from "./minimax.ts";
import { answerAsO, openingBoard, randomMoveProbOf } from "./opponent.ts";
import { beginnerMoves } from "./teacher.ts";

const parser = xmlParser("think", "move");

const worth = { X: 1, draw: 0.5, O: 0, open: 0 };

const say = (board: Board, cell: number): string =>
  parser.render({ think: writeFacts(factsOf(board)), move: String(cell) });

const probability = z.number().min(0).max(1);

export default defineEnvironment({
  name: "tictactoe",
  description: "Play X in tic-tac-toe against an opponent of tunable skill.",
  tags: ["game", "multi-turn", "opponent"],

  config: z
    .object({
      examples: z.int().min(1).default(1000).describe("Number of games in the dataset"),
      minRandomMoveProb: probability
        .default(0)
        .describe("Least probability that the opponent moves at random instead of well"),
      maxRandomMoveProb: probability
        .default(1)
        .describe("Greatest probability that the opponent moves at random instead of well"),
      numGroups: z
        .int()
        .min(1)
        .default(1)
        .describe("Parts of that range; example i draws from part i mod numGroups"),
      maxTurns: z.int().min(1).default(8).describe("Most turns of the model in one game"),
    })
    .refine(({ minRandomMoveProb, maxRandomMoveProb }) => minRandomMoveProb <= maxRandomMoveProb, {
      path: ["minRandomMoveProb"],
      error: "must not be greater than maxRandomMoveProb",
    }),

  systemPrompt: `You play tic-tac-toe as X against O. Whoever first has three marks in a row, column or diagonal wins.
The positions of the board are numbered 0 to 8, row by row; a free position shows its number.
When it is your turn, think briefly, then choose one free position. Answer in this form:
${parser.render({ think: "your thoughts", move: "a number from 0 to 8" })}`,

  maxTurns: ({ config }) => config.maxTurns,

  *dataset({ config, random: source }) {
    for (let index = 0; index < config.examples; index += 1) {
      const seed = source.for(index).int(2 ** 32);
      const randomMoveProb = randomMoveProbOf(index, config, random(seed, "difficulty"));
      const dice = { start: random(seed, "start"), reply: random(seed, emptyBoard) };
      const board = openingBoard(randomMoveProb, dice);
      yield { prompt: yourTurn(board), board, randomMoveProb, seed };
    }
  },

  setup: ({ example }) => ({ board: example.board, invalidMoves: 0 }),

  respond({ reply, state, example }) {
    const move = readMove(state.board, parser.parse(reply).move);
    if ("complaint" in move) {
      state.invalidMoves += 1;
      return tryAgain(state.board, move.complaint);
    }
    state.board = place(state.board, move.cell, "X");
    if (outcome(state.board) === "open") {
      const dice = random(example.seed, state.board);
      state.board = answerAsO(state.board, example.randomMoveProb, dice);
    }
    return outcome(state.board) === "open" ? yourTurn(state.board) : end(gameOver(state.board));
  },

  rubric: {
    win: {
      description: "1 for a win, 0.5 for a draw, 0 for a loss or an unfinished game",
      range: [0, 1],
      score: ({ state }) => worth[outcome(state.board)],
    },
    format: {
      weight: 0.2,
      description: "Share of replies with think tags followed by move tags",
      range: [0, 1],
      score: ({ completion }) => parser.formatScore(completion),
    },
    invalidMove: {
      description: "-0.1 if any move of the game was missing, occupied or off the board",
      range: [-0.1, 0],
      score: ({ state }) => (state.invalidMoves > 0 ? -0.1 : 0),
    },
    won: {
      weight: 0,
      description: "1 for a win",
      range: [0, 1],
      score: ({ state }) => Number(outcome(state.board) === "X"),
    },
    draw: {
      weight: 0,
      description: "1 for a draw",
      range: [0, 1],
      score: ({ state }) => Number(outcome(state.board) === "draw"),
    },
    loss: {
      weight: 0,
      description: "1 for a loss",
      range: [0, 1],
      score: ({ state }) => Number(outcome(state.board) === "O"),
    },
    turns: { weight: 0, description: "Turns of the model", score: ({ turns }) => turns },
  },

  policies: {
    optimal: ({ state: { board }, random: dice }) => say(board, dice.pick(bestMoves(board, "X"))),
    random: ({ state: { board }, random: dice }) => say(board, dice.pick(freeCells(board))),
    "first-free": ({ state: { board } }) => say(board, Math.min(...freeCells(board))),
    mixed({ state: { board }, random: dice, parameter = 0.5 }) {
      const cells = dice.next() < parameter ? freeCells(board) : bestMoves(board, "X");
      return say(board, dice.pick(cells));
    },
    careless({ state: { board }, random: dice, parameter = 0.6 }) {
      const cells = dice.next() < parameter ? freeCells(board) : beginnerMoves(board);
      return say(board, dice.pick(cells));
    },
  },
});
