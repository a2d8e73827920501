import { defineEnvironment, end, invalid } from "@envs/core";

import { describeBoard, legalReplies } from "./board.ts";
import { config } from "./config.ts";
import { gameOver, readMove, tryAgain, yourTurn } from "./conversation.ts";
import { freeCells, otherMark, outcome, place } from "./game.ts";
import { cellOfOpponent, games, presentationFor } from "./games.ts";
import { newMatch } from "./match.ts";
import { metrics } from "./metrics.ts";
import { bestMoves } from "./minimax.ts";
import { beginner } from "./players.ts";
import { parser, systemPrompt, systemPromptFor, writeMove, writeReply } from "./protocol.ts";
import { countFacts, speedOf, worthOfEnd } from "./review.ts";

const range = [0, 1] as const;

export default defineEnvironment({
  name: "tictactoe",
  description: "Play X in tic-tac-toe against an opponent of tunable skill.",
  tags: ["game", "multi-turn", "opponent", "seats"],
  config,
  systemPrompt,

  dataset: games,

  setup: newMatch,

  seats: {
    players: {
      X: { description: "You play X. Where O begins, its first move is on the board already." },
      O: {
        description: "You play O. Where O begins, your first move is on the board already.",
        policy: "opponent",
        systemPrompt: systemPromptFor("O"),
        prompt: () => [],
      },
    },
    turn: ({ state }) => state.next,
    observe({ state: { board, next }, seat, config, example }) {
      const presentation = presentationFor(config, example, seat);
      return outcome(board) === "open" && next === seat
        ? yourTurn(board, presentation)
        : gameOver(board, presentation, seat);
    },
  },

  respond({ reply, seat, state, config, example }) {
    const { think, move } = parser.parse(reply);
    const read = readMove(state.board, move);
    const cell = "cell" in read ? read.cell : undefined;
    state.replies[seat] = [...state.replies[seat], { board: state.board, think, cell }];
    if ("complaint" in read) {
      state.invalidMoves[seat] += 1;
      return invalid(tryAgain(state.board, read.complaint, presentationFor(config, example, seat)));
    }
    state.board = place(state.board, read.cell, seat);
    state.next = otherMark(seat);
    return outcome(state.board) === "open" ? [] : end();
  },

  episode: { maxTurns: ({ config }) => config.maxTurns },

  game: {
    choices: ({ state: { board }, seat }) => legalReplies(board, seat),
    board: ({ state: { board, next }, seat }) => describeBoard(board, seat, next),
  },

  rubric: {
    win: {
      description: "1 for a win, 0.5 for a draw, 0 for a loss or an unfinished game",
      range,
      score: ({ state, seat }) => worthOfEnd(state.board, seat),
    },
    format: {
      weight: 0.2,
      description: "Share of replies with think tags followed by move tags",
      range,
      score: ({ completion }) => parser.formatScore(completion),
    },
    invalid: {
      weight: -0.1,
      description: "1 if any move of the game was missing, occupied or off the board",
      range,
      score: ({ state, seat }) => Number(state.invalidMoves[seat] > 0),
    },
    speed: {
      description: "speedBonus for a win in three moves, less for a slower win; disabled at 0",
      range,
      enabled: ({ config }) => config.speedBonus > 0,
      score: ({ state, seat, config }) => config.speedBonus * speedOf(state.board, seat),
    },
    faithfulness: {
      description: "faithfulWeight × share of all facts that are stated truly; disabled at 0",
      range,
      enabled: ({ config }) => config.faithfulWeight > 0,
      score({ state, seat, config }) {
        const { possible, right } = countFacts(state.replies[seat], seat);
        return (config.faithfulWeight * right) / Math.max(possible, 1);
      },
    },
  },

  metrics,

  policies: {
    optimal: ({ state: { board }, seat, random: dice }) =>
      writeReply(board, dice.pick(bestMoves(board, seat)), seat),
    "first-free": ({ state: { board }, seat }) =>
      writeReply(board, Math.min(...freeCells(board)), seat),
    mixed: ({ state: { board }, seat, random: dice, parameter = 0.5 }) =>
      writeReply(
        board,
        dice.pick(dice.next() < parameter ? freeCells(board) : bestMoves(board, seat)),
        seat,
      ),
    careless: ({ state: { board }, seat, random: dice, parameter = 0.6 }) =>
      writeReply(
        board,
        dice.pick(dice.next() < parameter ? freeCells(board) : beginner(board, seat)),
        seat,
      ),
    opponent: ({ state: { board }, seat, config, example }) =>
      writeMove(cellOfOpponent(board, seat, config, example)),
  },
});
