// Connect three: discs fall into one of four columns, and three in a row win. A tiny language model learns it:
// `envs train ./examples/connect-three.ts --config examples/connect-three.config.ts`.
import { defineEnvironment, end, xmlParser } from "@envs/core";

const parser = xmlParser("column");
const columns = ["1", "2", "3", "4"];

/** The cells of the board, from the top left: X, O or a dot. */
type Board = string;

const cells = Array.from({ length: 16 }, (_, cell) => cell);
const show = (board: Board): string => board.replaceAll(/.{4}/gu, "$&\n");

/** The triples of cells that win: rows, columns and diagonals. */
const triples = cells.flatMap((cell) =>
  [
    [0, 1],
    [1, 0],
    [1, 1],
    [1, -1],
  ].flatMap(([down, right]) => {
    const [row, column] = [Math.floor(cell / 4) + 2 * down!, (cell % 4) + 2 * right!];
    const isInside = row < 4 && column >= 0 && column < 4;
    return isInside ? [[0, 1, 2].map((step) => cell + step * (4 * down! + right!))] : [];
  }),
);

const hasWon = (board: Board, disc: string): boolean =>
  triples.some((triple) => triple.every((cell) => board[cell] === disc));

const openColumns = (board: Board): string[] =>
  columns.filter((_, column) => board[column] === ".");

/** The board after a disc has fallen to the lowest free cell of a column. */
function drop(board: Board, column: string, disc: string): Board {
  const cell = cells.findLast((index) => index % 4 === Number(column) - 1 && board[index] === ".")!;
  return board.slice(0, cell) + disc + board.slice(cell + 1);
}

const values = new Map<string, number>();

/** The value for the player who moves next, if both play perfectly: 1, 0 or -1, closer to 0 the longer it takes. */
function valueOf(board: Board, disc: string, other: string): number {
  const known = values.get(board + disc);
  if (known !== undefined) return known;
  const open = openColumns(board);
  let value = 0;
  if (hasWon(board, other)) value = -1;
  else if (open.length > 0)
    value = Math.max(
      ...open.map((column) => -0.9 * valueOf(drop(board, column, disc), other, disc)),
    );
  values.set(board + disc, value);
  return value;
}

const reply = (column: string): string => parser.render({ column });

export default defineEnvironment({
  name: "connect-three",
  description: "Drop discs into four columns; three in a row win. O moves at random.",
  tags: ["game", "multi-turn"],

  systemPrompt: `You play X and move first. Choose a column. Three in a row win. ${parser.format}`,

  *dataset() {
    for (let game = 1; ; game += 1) yield { prompt: show(".".repeat(16)), game };
  },

  setup: () => ({ board: ".".repeat(16), result: "unfinished" }),

  respond({ reply: text, state, random }) {
    const over = (result: string) => {
      state.result = result;
      return end(`${show(state.board)}${result}`);
    };
    // Rejects words after the column: if they cost nothing, a model could learn never to stop.
    const column = openColumns(state.board).find((open) => text.trim() === reply(open));
    if (column === undefined) return over("Not an open column. You lose.");
    state.board = drop(state.board, column, "X");
    if (hasWon(state.board, "X")) return over("You win.");
    state.board = drop(state.board, random.for(state.board).pick(openColumns(state.board)), "O");
    if (hasWon(state.board, "O")) return over("You lose.");
    return openColumns(state.board).length === 0 ? over("It is a draw.") : show(state.board);
  },

  game: {
    choices: ({ state: { board } }) =>
      openColumns(board).map((column) => ({ reply: reply(column), label: column })),
  },

  rubric: {
    win: {
      description: "1 for three in a row",
      range: [0, 1],
      score: ({ state }) => Number(state.result === "You win."),
    },
    format: {
      weight: 0.2,
      description: "Share of replies with a column in its tags",
      range: [0, 1],
      score: ({ completion }) => parser.formatScore(completion),
    },
  },

  policies: {
    perfect({ state: { board } }) {
      const value = (column: string): number => -valueOf(drop(board, column, "X"), "O", "X");
      return reply(openColumns(board).toSorted((a, b) => value(b) - value(a))[0]!);
    },
  },
});
