import {
  type Action,
  actionsAt,
  type Card,
  type Deal,
  deals,
  deck,
  type History,
  isOver,
  openHistories,
  opponentOf,
  payoff,
  type Player,
  players,
  playerToAct,
} from "./game.ts";
import type { Strategy } from "./strategy.ts";

export { actions, deals, deck, openHistories, playerToAct, players } from "./game.ts";
export type { Action, Card, Deal, History, Player } from "./game.ts";
export { careless, equilibrium, honest } from "./strategy.ts";
export type { Strategy } from "./strategy.ts";
export { modelStrategy } from "./model-strategy.ts";
export type { ModelStrategy, ModelStrategyOptions } from "./model-strategy.ts";

/** The chips that player0 wins per hand if both play an equilibrium. */
export const gameValue: number = -1 / 18;

/** The chips that player0 wins per hand, on average over the deals and over the choices of both strategies. */
export function valueOf(player0: Strategy, player1: Strategy): number {
  return mean(deals.map((deal) => handValue(deal, [], { player0, player1 })));
}

function handValue(
  deal: Deal,
  history: History,
  strategies: Readonly<Record<Player, Strategy>>,
): number {
  if (isOver(history)) return payoff(deal, history, "player0");
  const player = playerToAct(history);
  const active = strategies[player](deal[player], history);
  const choices = actionsAt(history);
  const worthOf = (action: Action): number => handValue(deal, [...history, action], strategies);
  return (1 - active) * worthOf(choices.passive) + active * worthOf(choices.active);
}

/** The strategy with the highest payoff against another one. */
export function bestResponse(player: Player, against: Strategy): Strategy {
  const best = new Map<string, number>();
  const strategy: Strategy = (card, history) => best.get(pointOf(card, history)) ?? 0;
  // Decides the last actions first, because earlier decisions depend on them.
  for (const history of openHistories.toReversed())
    if (playerToAct(history) === player)
      for (const card of deck) best.set(pointOf(card, history), bestAction(card, history));
  return strategy;

  function bestAction(card: Card, history: History): number {
    const { passive, active } = actionsAt(history);
    return worth(card, [...history, active]) > worth(card, [...history, passive]) ? 1 : 0;
  }

  /** The payoff after a history, weighted by the probability of the other player's actions. */
  function worth(card: Card, history: History): number {
    const other = opponentOf(player);
    const strategies = player === "player0" ? seated(strategy, against) : seated(against, strategy);
    const sign = player === "player0" ? 1 : -1;
    return deals
      .filter((deal) => deal[player] === card)
      .reduce((sum, deal) => {
        const likelihood = reach(deal[other], history, { player: other, strategy: against });
        return sum + sign * likelihood * handValue(deal, history, strategies);
      }, 0);
  }
}

/** The probability that a player with a card takes their actions of a history. */
function reach(
  card: Card,
  history: History,
  { player, strategy }: { readonly player: Player; readonly strategy: Strategy },
): number {
  let probability = 1;
  for (const [index, action] of history.entries()) {
    const before = history.slice(0, index);
    if (playerToAct(before) !== player) continue;
    const active = strategy(card, before);
    probability *= action === actionsAt(before).active ? active : 1 - active;
  }
  return probability;
}

/**
 * The chips per hand that a strategy loses to an opponent who knows it, on average over both seats, compared with an
 * equilibrium. It is 0 for an equilibrium and never negative.
 */
export function exploitability(strategy: Strategy): number {
  const [first, second] = players.map((player) => lossOf(player, strategy));
  return (first! + second!) / 2;
}

/** The chips per hand that a strategy loses in one seat to an opponent who knows it, compared with an equilibrium. */
export function lossOf(player: Player, strategy: Strategy): number {
  const response = bestResponse(opponentOf(player), strategy);
  return player === "player0"
    ? gameValue - valueOf(strategy, response)
    : valueOf(response, strategy) - gameValue;
}

function seated(player0: Strategy, player1: Strategy): Readonly<Record<Player, Strategy>> {
  return { player0, player1 };
}

function pointOf(card: Card, history: History): string {
  return `${card} ${history.join(" ")}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
