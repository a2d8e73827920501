import {
  type Action,
  type Deal,
  type History,
  isOver,
  actionsAt,
  payoff,
  type Player,
  playerToAct,
} from "./game.ts";
import type { Strategy } from "./strategy.ts";

/** The action with the highest payoff against a strategy, for a player who sees both cards. */
export function bestAgainst(
  strategy: Strategy,
  deal: Deal,
  history: History,
  player: Player,
): Action {
  const { passive, active } = actionsAt(history);
  return worth([...history, active]) > worth([...history, passive]) ? active : passive;

  function worth(after: History): number {
    if (isOver(after)) return payoff(deal, after, player);
    const next = playerToAct(after);
    const choices = actionsAt(after);
    const first = worth([...after, choices.passive]);
    const second = worth([...after, choices.active]);
    if (next === player) return Math.max(first, second);
    const probability = strategy(deal[next], after);
    return (1 - probability) * first + probability * second;
  }
}
