import { type Board, emptyBoard, outcome, place } from "../game.ts";
import type { Presentation } from "../presentation.ts";
import { continueConversation, openConversation } from "../protocol.ts";
import { type Answer, type Ask, askAll, type Question } from "./ask.ts";
import { type ExactOpponent, opponentMoves } from "./exact-opponent.ts";
import { type Line, type Result, type Tally, Tallier } from "./tally.ts";

export interface WalkOptions<Name extends ExactOpponent> {
  /** Opponents that share the walk: a conversation that several of them can lead to is asked only once. */
  readonly opponents: readonly Name[];
  /** Default: that of the published environment. */
  readonly presentation?: Presentation | undefined;
}

/** The probability of a game, for each opponent with which it can occur. */
type Odds = ReadonlyMap<ExactOpponent, number>;

/** An unfinished game in which X has to move. */
interface Game extends Question {
  readonly line: Line;
  readonly odds: Odds;
}

/**
 * Plays every possible game of a deterministic X when a coin decides who starts and O takes any of its moves. Asks all
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

  constructor({ opponents, presentation }: WalkOptions<Name>) {
    this.#names = opponents;
    this.#presentation = presentation;
    this.#talliers = new Map(opponents.map((name) => [name, new Tallier()]));
  }

  openings(): readonly Game[] {
    const half: Odds = new Map(this.#names.map((name) => [name, 0.5]));
    const first = [{ board: emptyBoard, odds: half }, ...replies(emptyBoard, half)];
    return first.map(({ board, odds }) => ({
      messages: openConversation(board, this.#presentation),
      board,
      line: [board],
      odds,
    }));
  }

  /** Returns the games that X's answer can lead to, and tallies those that it ends. */
  next(game: Game, answer: Answer | undefined): readonly Game[] {
    if (answer?.cell === undefined) return this.#end("invalid", game);
    for (const name of game.odds.keys()) this.#talliers.get(name)?.move(game.board, answer.cell);
    const moved = place(game.board, answer.cell, "X");
    const result = results[outcome(moved)];
    if (result !== undefined) return this.#end(result, reach(game, moved, game.odds));
    return replies(moved, game.odds).flatMap(({ board, odds }) => {
      const reached = reach(game, board, odds);
      const result = results[outcome(board)];
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

const results = { X: "win", draw: "draw", O: "loss", open: undefined } as const;

function reach({ line }: Game, board: Board, odds: Odds): Pick<Game, "line" | "odds"> {
  return { line: [...line, board], odds };
}

/** Every board after O's possible replies to `board`, with its probabilities. */
function replies(board: Board, odds: Odds): readonly { board: Board; odds: Odds }[] {
  const byCell = new Map<number, Map<ExactOpponent, number>>();
  for (const [name, probability] of odds) {
    const cells = opponentMoves(name, board);
    for (const cell of cells) {
      const shares = byCell.get(cell) ?? new Map<ExactOpponent, number>();
      byCell.set(cell, shares.set(name, probability / cells.length));
    }
  }
  return [...byCell].map(([cell, shares]) => ({ board: place(board, cell, "O"), odds: shares }));
}
