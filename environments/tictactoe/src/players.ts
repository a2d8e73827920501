import { completions, forks } from "./facts.ts";
import { type Board, freeCells, type Mark, otherMark } from "./game.ts";
import { bestMoves } from "./minimax.ts";
import { type Symmetry, turn } from "./symmetry.ts";

/** Returns the cells that a player of `mark` chooses from, all equally likely. */
export type Player = (board: Board, mark: Mark) => readonly number[];

/** The opponents of the config option `opponent`. */
export const opponentNames = [
  "minimax",
  "minimax-first",
  "minimax-last",
  "human",
  "forks-first",
  "first-free",
  "last-free",
] as const;

export type OpponentName = (typeof opponentNames)[number];

/** The players behind these names. */
export const opponents: Readonly<Record<OpponentName, Player>> = {
  minimax: bestMoves,
  "minimax-first": (board, mark) => bestMoves(board, mark).slice(0, 1),
  "minimax-last": (board, mark) => bestMoves(board, mark).slice(-1),
  human: (board, mark) =>
    firstNotEmpty([reflexes(board, mark), ...ranks.map((rank) => freeAmong(board, rank))]),
  "forks-first": (board, mark) =>
    firstNotEmpty([reflexes(board, mark), forks(board, mark), freeCells(board)]),
  "first-free": (board) => freeCells(board).slice(0, 1),
  "last-free": (board) => freeCells(board).slice(-1),
};

/** A beginner: completes its row if possible, else blocks the other player's row, else takes any free cell. */
export const beginner: Player = (board, mark) =>
  firstNotEmpty([reflexes(board, mark), freeCells(board)]);

/** Makes `player` see the board rotated or mirrored. */
export function turned(player: Player, symmetry: Symmetry): Player {
  return (board, mark) => {
    const cells = player(turn(board, symmetry), mark);
    return freeCells(board).filter((cell) => cells.includes(symmetry[cell] ?? cell));
  };
}

/** Centre, corners, edges: the usual preference of people. */
const ranks = [[4], [0, 2, 6, 8], [1, 3, 5, 7]];

/** The cells that complete a row; else the cells that block the other player's row. */
function reflexes(board: Board, mark: Mark): readonly number[] {
  return firstNotEmpty([completions(board, mark), completions(board, otherMark(mark))]);
}

function freeAmong(board: Board, cells: readonly number[]): readonly number[] {
  return freeCells(board).filter((cell) => cells.includes(cell));
}

function firstNotEmpty(choices: readonly (readonly number[])[]): readonly number[] {
  return choices.find((cells) => cells.length > 0) ?? [];
}
