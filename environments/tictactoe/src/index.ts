import { defineEnvironment, end, random } from "@envs/core";

import { config } from "./config.ts";
import { gameOver, moveOn, readMove, theirTurn, tryAgain, yourTurn } from "./conversation.ts";
import { emptyBoard, freeCells, outcome, place } from "./game.ts";
import { bestMoves } from "./minimax.ts";
import { answerAsO, openingBoard, randomMoveProbOf } from "./opponent.ts";
import { beginner, type OpponentName, opponents, turned } from "./players.ts";
import { drawPosition, positions } from "./positions.ts";
import { parser, say, systemPrompt } from "./protocol.ts";
import { countFacts, hadWin, type Reply, speedOf } from "./review.ts";
import { symmetries } from "./symmetry.ts";

const worth = { X: 1, draw: 0.5, O: 0, open: 0 };

interface Manner {
  readonly opponent: OpponentName;
  readonly turnOpponent: boolean;
}

interface Game {
  readonly seed: number;
  readonly randomMoveProb: number;
}

const opponentOf = ({ opponent, turnOpponent }: Manner, { seed, randomMoveProb }: Game) => {
  const player = opponents[opponent];
  const symmetry = turnOpponent ? random(seed, "turn").pick(symmetries) : undefined;
  return { player: symmetry ? turned(player, symmetry) : player, randomMoveProb };
};

export default defineEnvironment({
  name: "tictactoe",
  description: "Play X in tic-tac-toe against an opponent of tunable skill.",
  tags: ["game", "multi-turn", "opponent"],
  config,
  systemPrompt,
  maxTurns: ({ config }) => config.maxTurns,

  *dataset({ config, random: source }) {
    const every = config.start === "every" ? source.for("start").shuffle(positions()) : undefined;
    for (let index = 0; index < (every?.length ?? config.examples); index += 1) {
      const seed = source.for(index).int(2 ** 32);
      const randomMoveProb = randomMoveProbOf(index, config, random(seed, "difficulty"));
      const dice = { start: random(seed, "start"), reply: random(seed, emptyBoard) };
      const board =
        config.start === "opening"
          ? openingBoard(opponentOf(config, { seed, randomMoveProb }), dice)
          : (every?.[index] ?? drawPosition(random(seed, "position")));
      yield { prompt: yourTurn(board), board, randomMoveProb, seed };
    }
  },

  setup: ({ example }) => ({
    board: example.board,
    invalidMoves: 0,
    replies: [] as readonly Reply[],
  }),

  async respond({ reply, state, example, config, opponent }) {
    const { think, move } = parser.parse(reply);
    const read = readMove(state.board, move);
    const cell = "cell" in read ? read.cell : undefined;
    state.replies = [...state.replies, { board: state.board, think, cell }];
    if ("complaint" in read) {
      state.invalidMoves += 1;
      return tryAgain(state.board, read.complaint);
    }
    state.board = place(state.board, read.cell, "X");
    if (outcome(state.board) === "open") {
      const { board } = state;
      state.board =
        opponent === undefined
          ? answerAsO(board, opponentOf(config, example), random(example.seed, board))
          : place(board, await opponent(theirTurn(board), moveOn(board)), "O");
    }
    return outcome(state.board) === "open" ? yourTurn(state.board) : end(gameOver(state.board));
  },

  opponent:
    "You play O. Where O begins, your first move was drawn: it is on the board already. Answer with the number of a free position.",

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
    speed: {
      description:
        "speedBonus for a win in three moves, less for a slower one; only with speedBonus",
      range: [0, 1],
      score: ({ state, config: { speedBonus } }) =>
        speedBonus === 0 ? null : speedBonus * speedOf(state.board),
    },
    faithfulness: {
      description:
        "faithfulWeight × share of all facts that the thoughts state truly; only with faithfulWeight",
      range: [0, 1],
      score: ({ state: { replies }, config: { faithfulWeight } }) => {
        const { possible, right } = countFacts(replies);
        return faithfulWeight === 0 ? null : (faithfulWeight * right) / Math.max(possible, 1);
      },
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
    invalid: {
      weight: 0,
      description: "1 if any move of the game was missing, occupied or off the board",
      range: [0, 1],
      score: ({ state }) => Number(state.invalidMoves > 0),
    },
    faithful: {
      weight: 0,
      description: "Share of the facts stated in thoughts that are true and complete",
      range: [0, 1],
      score: ({ state: { replies } }) => {
        const { stated, right } = countFacts(replies);
        return stated === 0 ? null : right / stated;
      },
    },
    missedWin: {
      weight: 0,
      description: "1 if a move let a forced win go, of games that had one",
      range: [0, 1],
      score: ({ state }) => hadWin(state.replies, "missed"),
    },
    slowWin: {
      weight: 0,
      description: "1 if a move took a detour to a forced win, of games that had one",
      range: [0, 1],
      score: ({ state }) => hadWin(state.replies, "slow"),
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
      const cells = dice.next() < parameter ? freeCells(board) : beginner(board, "X");
      return say(board, dice.pick(cells));
    },
  },
});
