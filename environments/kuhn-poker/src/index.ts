import { defineEnvironment, end, invalid } from "@envs/core";
import * as z from "zod";

import { chipsOf, hasForfeited } from "./chips.ts";
import { bestAgainst } from "./clairvoyant.ts";
import {
  forfeited,
  handOver,
  readAction,
  systemPrompt,
  tryAgain,
  writeReply,
  yourTurn,
} from "./conversation.ts";
import {
  deals,
  hasShowdown,
  type History,
  isOver,
  legalActions,
  type Player,
  playerToAct,
} from "./game.ts";
import { act, careless, equilibrium, honest } from "./strategy.ts";

export default defineEnvironment({
  name: "kuhn-poker",
  description: "Play one hand of Kuhn poker, a game of three cards with bluffs.",
  tags: ["game", "multi-turn", "seats", "hidden-information"],

  config: z.object({
    examples: z.int().min(1).default(600).describe("Number of hands; each six have all six deals"),
    bluff: z
      .number()
      .min(0)
      .max(1 / 3)
      .default(1 / 3)
      .describe("Probability that player0 of the policy equilibrium bets a J"),
    maxInvalid: z
      .int()
      .min(0)
      .default(1)
      .describe("Number of illegal replies after which a further one forfeits the hand"),
  }),

  systemPrompt,

  *dataset({ config, random }) {
    for (let hand = 0; hand < config.examples; hand += 1) {
      const order = random.for(Math.floor(hand / deals.length)).shuffle(deals);
      yield { prompt: [], hand, deal: order[hand % deals.length]! };
    }
  },

  setup: () => ({
    history: [] as History,
    invalidReplies: { player0: 0, player1: 0 },
    forfeitedBy: undefined as Player | undefined,
  }),

  seats: {
    players: {
      player0: { policy: "equilibrium", description: "You are player0 and act first." },
      player1: { policy: "equilibrium", description: "You are player1 and act second." },
    },
    turn: ({ state }) => playerToAct(state.history),
    observe({ state: { history, forfeitedBy }, example: { deal }, seat }) {
      if (forfeitedBy !== undefined) return forfeited(seat, forfeitedBy);
      return isOver(history) ? handOver(deal, history, seat) : yourTurn(deal, history, seat);
    },
  },

  respond({ reply, seat, state, config }) {
    const action = readAction(reply, state.history);
    if (action !== undefined) {
      state.history = [...state.history, action];
      return isOver(state.history) ? end() : [];
    }
    state.invalidReplies[seat] += 1;
    if (state.invalidReplies[seat] <= config.maxInvalid) return invalid(tryAgain(state.history));
    state.forfeitedBy = seat;
    return end();
  },

  episode: { maxTurns: ({ config }) => 2 + config.maxInvalid },

  game: {
    choices: ({ state }) =>
      legalActions(state.history).map((action) => ({ reply: writeReply(action), label: action })),
  },

  rubric: {
    payoff: {
      description: "The chips that the player wins; -2 for a forfeit, and 2 for the other player",
      range: [-2, 2],
      score: (context) => chipsOf(context),
    },
  },

  metrics: {
    won: {
      description: "1 if the player wins chips",
      range: [0, 1],
      score: (context) => chipsOf(context) > 0,
    },
    forfeit: {
      description: "1 if the player forfeits: too many illegal replies, or a limit",
      range: [0, 1],
      score: (context) => hasForfeited(context),
    },
    showdown: {
      description: "1 if the cards are shown",
      range: [0, 1],
      score: ({ state }) => hasShowdown(state.history),
    },
  },

  policies: {
    clairvoyant: ({ state: { history }, example: { deal }, config, seat }) =>
      writeReply(bestAgainst(equilibrium(config.bluff), deal, history, seat)),
    equilibrium: ({ state: { history }, example: { deal }, config, seat, random }) =>
      writeReply(act(equilibrium(config.bluff), deal[seat], history, random.next())),
    honest: ({ state: { history }, example: { deal }, seat, random, parameter = 0 }) => {
      const strategy = random.next() < parameter ? careless(0.5) : honest;
      return writeReply(act(strategy, deal[seat], history, random.next()));
    },
    careless: ({ state: { history }, example: { deal }, seat, random, parameter = 0.5 }) =>
      writeReply(act(careless(parameter), deal[seat], history, random.next())),
  },
});
