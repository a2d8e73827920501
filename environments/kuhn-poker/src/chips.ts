import { type Deal, type History, isOver, payoff, type Player } from "./game.ts";

/** The end of a hand, as one of its players is scored. */
interface Ending {
  readonly state: { readonly history: History; readonly forfeitedBy: Player | undefined };
  readonly example: { readonly deal: Deal };
  readonly seat: Player;
  /** The player reached a limit. */
  readonly isTruncated: boolean;
}

/** The chips that a player wins. A forfeit costs more than a fold: otherwise a model learns to forfeit hands that it would fold. */
export function chipsOf(ending: Ending): number {
  const { state, example, seat } = ending;
  if (isOver(state.history)) return payoff(example.deal, state.history, seat);
  return hasForfeited(ending) ? -2 : 2;
}

/** Whether a player is the reason that a hand has ended early. */
export function hasForfeited({ state, seat, isTruncated }: Ending): boolean {
  if (isOver(state.history)) return false;
  return state.forfeitedBy === undefined ? isTruncated : state.forfeitedBy === seat;
}
