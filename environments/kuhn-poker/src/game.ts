/** The deck, the lowest card first. */
export const deck = ["J", "Q", "K"] as const;
export type Card = (typeof deck)[number];

export const players = ["player0", "player1"] as const;
export type Player = (typeof players)[number];

export const actions = ["check", "bet", "call", "fold"] as const;
export type Action = (typeof actions)[number];

/** The cards of both players. */
export type Deal = Readonly<Record<Player, Card>>;

/** The actions of the players, in order. */
export type History = readonly Action[];

/** The six deals, all equally likely. */
export const deals: readonly Deal[] = deck.flatMap((player0) =>
  deck.filter((card) => card !== player0).map((player1) => ({ player0, player1 })),
);

/** Every history after which a player acts. */
export const openHistories: readonly History[] = [[], ["check"], ["bet"], ["check", "bet"]];

export function opponentOf(player: Player): Player {
  return player === "player0" ? "player1" : "player0";
}

/** The player who acts next, also of a finished hand. */
export function playerToAct(history: History): Player {
  return players[history.length % 2]!;
}

/** Whether a bet is open, so that the next player calls or folds. */
export function facesBet(history: History): boolean {
  return history.at(-1) === "bet";
}

/** The legal actions; none after the end. */
export function legalActions(history: History): readonly Action[] {
  return isOver(history) ? [] : Object.values(actionsAt(history));
}

/** The two actions after a history: with the active one, the player puts a chip into the pot. */
export function actionsAt(history: History): { readonly passive: Action; readonly active: Action } {
  return facesBet(history)
    ? { passive: "fold", active: "call" }
    : { passive: "check", active: "bet" };
}

export function isOver(history: History): boolean {
  const last = history.at(-1);
  return last === "call" || last === "fold" || (last === "check" && history.length === 2);
}

/** Whether a finished hand shows the cards. */
export function hasShowdown(history: History): boolean {
  return isOver(history) && history.at(-1) !== "fold";
}

/** The chips that a player wins with a finished hand, ante included; negative for a loss. */
export function payoff(deal: Deal, history: History, player: Player): number {
  if (!isOver(history)) throw new Error(`The hand is not over after ${history.join(", ")}.`);
  const stake = history.includes("call") ? 2 : 1;
  return winner(deal, history) === player ? stake : -stake;
}

function winner(deal: Deal, history: History): Player {
  // The player to act after the last action has not folded.
  if (history.at(-1) === "fold") return playerToAct(history);
  return deck.indexOf(deal.player0) > deck.indexOf(deal.player1) ? "player0" : "player1";
}
