import { defineEnvironment, end, invalid } from "@envs/core";

import { describeBoard, legalReplies } from "./board.ts";
import { config } from "./config.ts";
import {
  gameOver,
  moveSchema,
  readMove,
  opponentTurn,
  tryAgain,
  yourTurn,
} from "./conversation.ts";
import { freeCells, outcome, place } from "./game.ts";
import { games, moveOfO, presentationFor } from "./games.ts";
import { bestMoves } from "./minimax.ts";
import { beginner } from "./players.ts";
import { parser, writeReply, systemPrompt } from "./protocol.ts";
import { countFacts, endedAs, someWinJudged, type Reply, shareOfTrue, speedOf } from "./review.ts";

const worth = { X: 1, draw: 0.5, O: 0, open: 0 };
const range = [0, 1] as const;

export default defineEnvironment({
  name: "tictactoe",
  description: "Play X in tic-tac-toe against an opponent of tunable skill.",
  tags: ["game", "multi-turn", "opponent"],
  config,
  systemPrompt,
  maxTurns: ({ config }) => config.maxTurns,

  dataset: ({ config, random }) => games(config, random),

  setup: ({ example: { board } }) => ({ board, invalidMoves: 0, replies: [] as readonly Reply[] }),

  async respond({ reply, state, example, config, opponent }) {
    const presentation = presentationFor(config, example);
    const { think, move } = parser.parse(reply);
    const read = readMove(state.board, move);
    const cell = "cell" in read ? read.cell : undefined;
    state.replies = [...state.replies, { board: state.board, think, cell }];
    if ("complaint" in read) {
      state.invalidMoves += 1;
      return invalid(tryAgain(state.board, read.complaint, presentation));
    }
    state.board = place(state.board, read.cell, "X");
    if (outcome(state.board) === "open") {
      const { board } = state;
      state.board =
        opponent === undefined
          ? moveOfO(board, config, example)
          : place(board, await opponent(opponentTurn(board), moveSchema(board)), "O");
    }
    return outcome(state.board) === "open"
      ? yourTurn(state.board, presentation)
      : end(gameOver(state.board, presentation));
  },

  choices: ({ state: { board } }) => legalReplies(board),

  board: ({ state: { board } }) => describeBoard(board),

  opponent:
    "You play O. Where O begins, your first move was drawn: it is on the board already. Answer with the number of a free position.",

  rubric: {
    win: {
      description: "1 for a win, 0.5 for a draw, 0 for a loss or an unfinished game",
      range,
      score: ({ state }) => worth[outcome(state.board)],
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
      score: ({ state }) => Number(state.invalidMoves > 0),
    },
    speed: {
      description: "speedBonus for a win in three moves, less for a slower win; disabled at 0",
      range,
      enabled: ({ config }) => config.speedBonus > 0,
      score: ({ state, config }) => config.speedBonus * speedOf(state.board),
    },
    faithfulness: {
      description: "faithfulWeight × share of all facts that are stated truly; disabled at 0",
      range,
      enabled: ({ config }) => config.faithfulWeight > 0,
      score({ state, config }) {
        const { possible, right } = countFacts(state.replies);
        return (config.faithfulWeight * right) / Math.max(possible, 1);
      },
    },
  },

  metrics: {
    won: { description: "1 for a win", range, score: ({ state }) => endedAs(state.board, "X") },
    draw: {
      description: "1 for a draw",
      range,
      score: ({ state }) => endedAs(state.board, "draw"),
    },
    loss: { description: "1 for a loss", range, score: ({ state }) => endedAs(state.board, "O") },
    faithful: {
      description: "Share of the facts stated in thoughts that are true and complete",
      range,
      score: ({ state }) => shareOfTrue(state.replies),
    },
    missedWin: {
      description: "1 if a move missed a forced win; null without one",
      range,
      score: ({ state }) => someWinJudged(state.replies, "missed"),
    },
    slowWin: {
      description: "1 if a move delayed a forced win; null without one",
      range,
      score: ({ state }) => someWinJudged(state.replies, "slow"),
    },
    replies: { description: "Replies of the model", score: ({ turns }) => turns },
  },

  policies: {
    optimal: ({ state: { board }, random: dice }) =>
      writeReply(board, dice.pick(bestMoves(board, "X"))),
    "first-free": ({ state: { board } }) => writeReply(board, Math.min(...freeCells(board))),
    mixed: ({ state: { board }, random: dice, parameter = 0.5 }) =>
      writeReply(
        board,
        dice.pick(dice.next() < parameter ? freeCells(board) : bestMoves(board, "X")),
      ),
    careless: ({ state: { board }, random: dice, parameter = 0.6 }) =>
      writeReply(
        board,
        dice.pick(dice.next() < parameter ? freeCells(board) : beginner(board, "X")),
      ),
  },
});
