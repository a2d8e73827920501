import { xmlParser } from "@envs/core";

import {
  type Action,
  type Deal,
  facesBet,
  hasShowdown,
  type History,
  legalActions,
  opponentOf,
  payoff,
  type Player,
} from "./game.ts";

const parser = xmlParser("action");

export const systemPrompt = `You play one hand of Kuhn poker. There are three cards: J, Q and K; K is the highest. Both players put one chip into the pot and get one card. player0 acts first. A player may check, or bet one more chip. After a bet, the other player may fold, and lose the pot, or call with one more chip. Without a bet, or after a call, the higher card wins the pot.
Answer with one action in this form: ${parser.format}`;

export function writeReply(action: Action): string {
  return parser.render({ action });
}

/** Reads the action of a reply; `undefined` if it is not legal. */
export function readAction(reply: string, history: History): Action | undefined {
  const text = parser.parse(reply).action?.trim().toLowerCase();
  return legalActions(history).find((action) => action === text);
}

/** The observation of a player before they act. */
export function yourTurn(deal: Deal, history: History, player: Player): string {
  const news = history.length === 0 ? "" : `${opponentOf(player)}: ${history.at(-1)}. `;
  const card = history.length < 2 ? `You are ${player} and hold ${deal[player]}. ` : "";
  return `${card}${news}${yourActions(history)}`;
}

/** The message to a player after an illegal reply. */
export function tryAgain(history: History): string {
  return `That is not a legal action. ${yourActions(history)} Write it as ${parser.format}`;
}

/** The observation of a player at the end. A card that was not shown stays hidden. */
export function handOver(deal: Deal, history: History, player: Player): string {
  const chips = payoff(deal, history, player);
  const other = opponentOf(player);
  const shown = hasShowdown(history) ? ` ${other} held ${deal[other]}.` : "";
  const last = `${other}: ${history.at(-1)}. `;
  const news = isLastOf(other, history) ? last : "";
  return `${news}You ${chips > 0 ? "win" : "lose"} ${Math.abs(chips)}.${shown}`;
}

/** The message to each player after a forfeit. */
export function forfeited(player: Player, loser: Player): string {
  return player === loser ? "You forfeit the hand and lose 2." : `${loser} forfeits. You win 2.`;
}

function isLastOf(player: Player, history: History): boolean {
  return (history.length - 1) % 2 === (player === "player0" ? 0 : 1);
}

function yourActions(history: History): string {
  return facesBet(history) ? "Fold or call?" : "Check or bet?";
}
