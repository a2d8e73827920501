// Tic-tac-toe as a first environment: you play X and move first, O moves at random, and an invalid move loses.
// Run it: `envs eval ./examples/tictactoe-simple.ts -m policy:centre`.
import { defineEnvironment, end, xmlParser } from "@envs/core";

const parser = xmlParser("think", "move");

const lines = ["012", "345", "678", "036", "147", "258", "048", "246"];
const hasWon = (board: string, mark: string): boolean =>
  lines.some((line) => Array.from(line).every((cell) => board[Number(cell)] === mark));
const freeCells = (board: string): string[] => Array.from(board).filter((cell) => cell <= "8");
const put = (board: string, cell: string, mark: string): string => board.replace(cell, mark);
const show = (board: string): string => board.replaceAll(/.../g, "$&\n");

export default defineEnvironment({
  name: "tictactoe-simple",
  description: "Play X and move first; O moves at random; an invalid move loses.",

  systemPrompt: `You play tic-tac-toe as X. A digit is a free cell. Choose one. Answer in this form:
${parser.render({ think: "your thoughts", move: "the digit of a free cell" })}`,

  *dataset() {
    for (let game = 1; game <= 1000; game += 1) yield { prompt: show("012345678"), game };
  },

  setup: () => ({ board: "012345678", result: "unfinished" }),

  respond({ reply, state, random }) {
    const over = (result: string) => {
      state.result = result;
      return end(`${show(state.board)}${result}`);
    };
    const move = parser.parse(reply).move ?? "";
    if (!freeCells(state.board).includes(move)) return over("An invalid move. You lose.");
    state.board = put(state.board, move, "X");
    if (hasWon(state.board, "X")) return over("You win.");
    if (freeCells(state.board).length === 0) return over("It is a draw.");
    state.board = put(state.board, random.for(state.board).pick(freeCells(state.board)), "O");
    return hasWon(state.board, "O") ? over("You lose.") : show(state.board);
  },

  game: {
    choices: ({ state: { board } }) =>
      freeCells(board).map((move) => ({
        reply: parser.render({ think: "A free cell.", move }),
        label: move,
      })),
  },

  rubric: {
    win: ({ state }) => (state.result === "You win." ? 1 : 0),
    format: { weight: 0.2, score: ({ completion }) => parser.formatScore(completion) },
  },

  policies: {
    centre({ state, random }) {
      const free = freeCells(state.board);
      const move = free.includes("4") ? "4" : random.pick(free);
      return parser.render({ think: "The centre first, then anything.", move });
    },
  },
});
