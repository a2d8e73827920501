import { type Mark, otherMark } from "./game.ts";
import type { Match } from "./match.ts";
import { endedAs, shareOfTrue, someWinJudged } from "./review.ts";

/** A finished game of one player. */
interface Finished {
  readonly state: Match;
  readonly seat: Mark;
  readonly turns: number;
}

const range = [0, 1] as const;

/** The facts of a game that are recorded beside its scores. */
export const metrics = {
  won: {
    description: "1 for a win",
    range,
    score: ({ state, seat }: Finished) => endedAs(state.board, seat),
  },
  draw: {
    description: "1 for a draw",
    range,
    score: ({ state }: Finished) => endedAs(state.board, "draw"),
  },
  loss: {
    description: "1 for a loss",
    range,
    score: ({ state, seat }: Finished) => endedAs(state.board, otherMark(seat)),
  },
  faithful: {
    description: "Share of the facts stated in thoughts that are true and complete",
    range,
    score: ({ state, seat }: Finished) => shareOfTrue(state.replies[seat], seat),
  },
  missedWin: {
    description: "1 if a move missed a forced win; null without one",
    range,
    score: ({ state, seat }: Finished) => someWinJudged(state.replies[seat], "missed", seat),
  },
  slowWin: {
    description: "1 if a move delayed a forced win; null without one",
    range,
    score: ({ state, seat }: Finished) => someWinJudged(state.replies[seat], "slow", seat),
  },
  replies: { description: "Replies of the model", score: ({ turns }: Finished) => turns },
};
