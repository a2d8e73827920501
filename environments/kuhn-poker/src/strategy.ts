import { type Action, actionsAt, type Card, facesBet, type History } from "./game.ts";

/** The probability of the active action, `bet` or `call`, of the player who acts after a history and holds a card. */
export type Strategy = (card: Card, history: History) => number;

/**
 * An equilibrium: no player gains by another strategy against it. There is one for each `bluff` from 0 to 1/3, the probability
 * that player0 bets a J.
 */
export function equilibrium(bluff = 1 / 3): Strategy {
  return (card, history) => {
    if (history.length === 0) return { J: bluff, Q: 0, K: 3 * bluff }[card];
    if (history.length === 2) return { J: 0, Q: bluff + 1 / 3, K: 1 }[card];
    return facesBet(history) ? { J: 0, Q: 1 / 3, K: 1 }[card] : { J: 1 / 3, Q: 0, K: 1 }[card];
  };
}

/** Bets and calls with this probability, whatever the card. */
export function careless(probability: number): Strategy {
  return () => probability;
}

/** Bets and calls with a K only, and never bluffs. */
export const honest: Strategy = (card) => (card === "K" ? 1 : 0);

/** The action of a strategy for a number from 0 to 1. */
export function act(strategy: Strategy, card: Card, history: History, draw: number): Action {
  const { passive, active } = actionsAt(history);
  return draw < strategy(card, history) ? active : passive;
}
