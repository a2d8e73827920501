import {
  assistantMessage,
  type Message,
  type Model,
  type ModelResponse,
  userMessage,
} from "@envs/core";

import { readAction, systemPrompt, writeReply, yourTurn } from "./conversation.ts";
import {
  actionsAt,
  type Card,
  deals,
  deck,
  type History,
  openHistories,
  playerToAct,
} from "./game.ts";
import type { Strategy } from "./strategy.ts";

export interface ModelStrategyOptions {
  /** The number of requests to the model at each of the twelve decision points. Default 64. */
  readonly samples?: number | undefined;
}

/** The strategy of a model. */
export interface ModelStrategy {
  readonly strategy: Strategy;
  /** The probability of an illegal reply, on average over the twelve points. */
  readonly illegal: number;
}

/**
 * Measures how often a model bets and calls with each card after each history, at temperature 1. With log-probabilities the
 * probability of a reply that was sampled is exact; replies that never occurred count as 0. Otherwise it is the reply's
 * share of the samples.
 */
export async function modelStrategy(
  model: Model,
  { samples = 64 }: ModelStrategyOptions = {},
): Promise<ModelStrategy> {
  const { signal } = new AbortController();
  const points = openHistories.flatMap((history) => deck.map((card) => ({ card, history })));
  const measured = await Promise.all(
    points.map(async ({ card, history }) => {
      const messages = conversationAt(card, history);
      const replies = await Promise.all(
        Array.from({ length: samples }, (_, seed) =>
          model({ messages, sampling: { temperature: 1 }, seed, signal }),
        ),
      );
      return [pointOf(card, history), measure(replies, history)] as const;
    }),
  );
  const byPoint = new Map(measured);
  return {
    strategy: (card, history) => byPoint.get(pointOf(card, history))!.active,
    illegal: measured.reduce((sum, [, { illegal }]) => sum + illegal, 0) / measured.length,
  };
}

/** The conversation before a decision, as the environment has it. The other player's card is not in it. */
function conversationAt(card: Card, history: History): readonly Message[] {
  const player = playerToAct(history);
  const deal = deals.find((each) => each[player] === card)!;
  const before = history.length < 2 ? [] : history.slice(0, -2);
  const own =
    history.length < 2
      ? []
      : [
          userMessage(yourTurn(deal, before, player)),
          assistantMessage(writeReply(history[before.length]!)),
        ];
  return [
    { role: "system", content: systemPrompt },
    ...own,
    userMessage(yourTurn(deal, history, player)),
  ];
}

/** The probabilities of the active action among legal replies, and of an illegal reply. */
function measure(
  replies: readonly ModelResponse[],
  history: History,
): { readonly active: number; readonly illegal: number } {
  const sums = { active: 0, passive: 0, illegal: 0 };
  const { active, passive } = actionsAt(history);
  for (const [reply, probability] of probabilities(replies)) {
    const action = readAction(reply, history);
    sums[action === active ? "active" : action === passive ? "passive" : "illegal"] += probability;
  }
  const legal = sums.active + sums.passive;
  return { active: legal === 0 ? 0 : sums.active / legal, illegal: sums.illegal };
}

function probabilities(replies: readonly ModelResponse[]): readonly (readonly [string, number])[] {
  const distinct = Map.groupBy(replies, ({ message, tokens }) =>
    JSON.stringify([message.content, tokens?.completionIds]),
  );
  return [...distinct.values()].map((same) => {
    const { message, tokens } = same[0]!;
    const logprob = tokens?.completionLogprobs.reduce((sum, each) => sum + each, 0);
    const share = same.length / replies.length;
    return [message.content, logprob === undefined ? share : Math.exp(logprob)];
  });
}

function pointOf(card: Card, history: History): string {
  return `${card} ${history.join(" ")}`;
}
