import { assistantMessage, random as randomOf, type Random } from "@envs/core";
import { type Episode, episode, examples } from "@envs/core/engine";

import { type Conversation, excerpt } from "../conversation.ts";
import { type Grid, gridOf, orbitOf, symmetriesOf, withMark } from "../grid.ts";
import { percent } from "../probe.ts";
import { counted, notTried, outcome, type Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

const games = 128;
const maxTurns = 4;
const minMoves = 16;
const minDeviation = 4;

/** A move of the opponent between squares that are equally good. */
interface EqualMove {
  /** The squares that symmetries of the position exchange, in reading order. */
  readonly orbit: readonly number[];
  readonly square: number;
  readonly game: Conversation;
}

export const opponentBias: Rule = {
  id: "opponent-bias",
  severity: "medium",
  asks: "An opponent chooses between equally good moves at random.",
  decides: `Plays up to ${games} examples with random choices, preferably such that the board becomes its own mirror image or rotation. There, the squares that a symmetry exchanges are equally good. A finding is an opponent that takes the first, or the last, of these squares in reading order far more often than the others: at least ${minDeviation} standard deviations above chance, in at least ${minMoves} moves. Needs \`choices\` and a \`board\` whose squares play them. A game whose rules are not symmetric accepts this finding.`,
  remedy:
    "Let the opponent draw from all best moves with the `random` of the context: otherwise a model learns this opponent's habits, and its score says little about others.",

  async check(subject) {
    const { choices, board } = subject.environment.definition.game ?? {};
    if (choices === undefined || board === undefined)
      return notTried("no choices, or no board that shows moves");
    const moves = await equalMoves(subject);
    if (moves.length < minMoves)
      return notTried(
        `${counted(moves.length, "move")} of an opponent between equal squares, ${minMoves} are needed`,
      );
    const found = (["first", "last"] as const).flatMap((side) => {
      const taken = moves.filter(
        ({ orbit, square }) => square === (side === "first" ? orbit[0] : orbit.at(-1)),
      );
      const expected = moves.reduce((sum, { orbit }) => sum + 1 / orbit.length, 0);
      const variance = moves.reduce(
        (sum, { orbit: { length } }) => sum + (1 / length) * (1 - 1 / length),
        0,
      );
      if ((taken.length - expected) / Math.sqrt(variance) < minDeviation) return [];
      return [
        {
          variant: side,
          message: `The opponent takes the ${side} of equally good squares in ${percent(taken.length / moves.length)} of ${moves.length} moves; by chance it would in ${percent(expected / moves.length)}`,
          conversations: taken.slice(0, 2).map(({ game }) => game),
        },
      ];
    });
    return outcome(counted(moves.length, "move"), found);
  },
};

async function equalMoves(subject: Subject): Promise<readonly EqualMove[]> {
  const { environment, seed, split, signal } = subject;
  const moves: EqualMove[] = [];
  for await (const { example, key, index } of examples(environment, {
    count: games,
    seed,
    split,
  })) {
    signal.throwIfAborted();
    const main = episode(environment, example, { key, seed, signal });
    try {
      const dice = randomOf(seed, "opponent-bias", index);
      await main.start();
      for (let turn = 0; turn < maxTurns && main.stopReason === undefined; turn += 1) {
        const move = await playTurn(main, dice);
        if (move === "unknown") break;
        if (move !== undefined)
          moves.push({
            ...move,
            game: excerpt("a game in which it takes this square", key, main.messages.slice()),
          });
      }
    } finally {
      await main.close();
    }
  }
  return moves;
}

/** Plays one square. Returns the opponent's move if it chose between equal squares; `unknown` if the board does not show squares. */
async function playTurn(
  main: Episode,
  dice: Random,
): Promise<Omit<EqualMove, "game"> | "unknown" | undefined> {
  const shown = await main.board();
  if (shown === undefined) return "unknown";
  const before = gridOf(shown);
  const playable = before.legal.flatMap((isLegal, square) => (isLegal ? [square] : []));
  if (playable.length === 0) return "unknown";
  const symmetric = playable.filter(
    (square) => symmetriesOf(withMark(before, square, "•")).length > 0,
  );
  const mine = dice.pick(symmetric.length > 0 ? symmetric : playable);
  await main.step(assistantMessage(before.replies[mine]!));
  const next = await main.board();
  return next && opponentMove(before, mine, gridOf(next));
}

function opponentMove(
  before: Grid,
  mine: number,
  after: Grid,
): Omit<EqualMove, "game"> | undefined {
  const changed = after.texts.flatMap((text, square) =>
    text === before.texts[square] ? [] : [square],
  );
  const [square, ...others] = changed.filter((candidate) => candidate !== mine);
  // Ignores moves that change several squares, such as a capture.
  if (square === undefined || others.length > 0 || before.legal[square] !== true) return undefined;
  const position = withMark(before, mine, after.texts[mine]!);
  const orbit = orbitOf(square, symmetriesOf(position));
  return orbit.length > 1 ? { orbit, square } : undefined;
}
