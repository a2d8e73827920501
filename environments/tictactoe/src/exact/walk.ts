import { type Board, emptyBoard, type Mark, otherMark, outcome, place } from "../game.ts";
import type { Presentation } from "../presentation.ts";
import { continueConversation, openConversation } from "../protocol.ts";
import { type Answer, type Ask, askAll, type Question } from "./ask.ts";
import { type ExactOpponent, opponentMoves } from "./exact-opponent.ts";
import { type Line, type Result, type Tally, Tallier } from "./tally.ts";

export interface WalkOptions<Name extends ExactOpponent> {
  /** The opponents of one walk, which asks a conversation only once if several of them can lead to it. */
  readonly opponents: readonly Name[];
  /** The seat of the model. Default: X. */
  readonly seat?: Mark | undefined;
  /** The presentation. Default: the one of the published environment. */
  readonly presentation?: Presentation | undefined;
}

/** The probability of a game, for each opponent with which it can occur. */
type Odds = ReadonlyMap<ExactOpponent, number>;

/** An unfinished game in which the model has to move. */
interface Game extends Question {
  readonly line: Line;
  readonly odds: Odds;
}

/**
 * Plays every possible game of a deterministic model when a coin decides which side starts and the opponent takes any of its
 * moves. As in the environment, if O starts, its first move is on the board already: the opponent's strategy chooses it. Asks all
 * conversations of a turn in one batch, each with its whole history, and each only once.
 */
export async function walk<const Name extends ExactOpponent>(
  ask: Ask,
  options: WalkOptions<Name>,
): Promise<Readonly<Record<Name, Tally>>> {
  const walked = new GameTree(options);
  let games = walked.openings();
  while (games.length > 0) {
    const answers = await askAll(ask, games);
    games = games.flatMap((game, index) => walked.next(game, answers[index]));
  }
  return walked.tallies();
}

class GameTree<Name extends ExactOpponent> {
  readonly #talliers: ReadonlyMap<ExactOpponent, Tallier>;
  readonly #names: readonly Name[];
  readonly #presentation: Presentation | undefined;
  readonly #mark: Mark;

  constructor({ opponents, presentation, seat: mark = "X" }: WalkOptions<Name>) {
    this.#names = opponents;
    this.#presentation = presentation;
    this.#mark = mark;
    this.#talliers = new Map(opponents.map((name) => [name, new Tallier(mark)]));
  }

  openings(): readonly Game[] {
    const half: Odds = new Map(this.#names.map((name) => [name, 0.5]));
    const starts = [{ board: emptyBoard, odds: half }, ...replies(emptyBoard, half, "O")];
    const first =
      this.#mark === "X" ? starts : starts.flatMap(({ board, odds }) => replies(board, odds, "X"));
    return first.map(({ board, odds }) => ({
      messages: openConversation(board, this.#presentation, this.#mark),
      board,
      line: [board],
      odds,
    }));
  }

  /** Returns the games that the model's answer can lead to, and tallies those that it ends. */
  next(game: Game, answer: Answer | undefined): readonly Game[] {
    if (answer?.cell === undefined) return this.#end("invalid", game);
    for (const name of game.odds.keys()) this.#talliers.get(name)?.move(game.board, answer.cell);
    const moved = place(game.board, answer.cell, this.#mark);
    const result = resultOf(moved, this.#mark);
    if (result !== undefined) return this.#end(result, reach(game, moved, game.odds));
    return replies(moved, game.odds, otherMark(this.#mark)).flatMap(({ board, odds }) => {
      const reached = reach(game, board, odds);
      const result = resultOf(board, this.#mark);
      if (result !== undefined) return this.#end(result, reached);
      const turn = { reply: answer.reply, board, presentation: this.#presentation };
      return [{ ...reached, board, messages: continueConversation(game.messages, turn) }];
    });
  }

  tallies(): Readonly<Record<Name, Tally>> {
    const tallies = [...this.#talliers].map(([name, tallier]) => [name, tallier.tally()] as const);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is a tallier for each name
    return Object.fromEntries(tallies) as Readonly<Record<Name, Tally>>;
  }

  #end(result: Result, { line, odds }: Pick<Game, "line" | "odds">): readonly Game[] {
    for (const [name, probability] of odds)
      this.#talliers.get(name)?.end(result, line, probability);
    return [];
  }
}

/** The result of a game for one side; `undefined` for an open one. */
function resultOf(board: Board, mark: Mark): Result | undefined {
  const result = outcome(board);
  if (result === "open") return undefined;
  if (result === "draw") return "draw";
  return result === mark ? "win" : "loss";
}

function reach({ line }: Game, board: Board, odds: Odds): Pick<Game, "line" | "odds"> {
  return { line: [...line, board], odds };
}

/** Every board after the opponent's possible moves as `mark`, with its probabilities. */
function replies(board: Board, odds: Odds, mark: Mark): readonly { board: Board; odds: Odds }[] {
  const byCell = new Map<number, Map<ExactOpponent, number>>();
  for (const [name, probability] of odds) {
    const cells = opponentMoves(name, board, mark);
    for (const cell of cells) {
      const shares = byCell.get(cell) ?? new Map<ExactOpponent, number>();
      byCell.set(cell, shares.set(name, probability / cells.length));
    }
  }
  return [...byCell].map(([cell, shares]) => ({ board: place(board, cell, mark), odds: shares }));
}
