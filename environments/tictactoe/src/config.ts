import * as z from "zod";

import { opponentNames } from "./players.ts";

const share = z.number().min(0).max(1);

/** The options of the environment. */
export const config = z
  .object({
    examples: z
      .int()
      .min(1)
      .default(1000)
      .describe("Number of games in the dataset; `start` every has its own number"),
    minRandomMoveProb: share.default(0).describe("Minimum probability of a random opponent move"),
    maxRandomMoveProb: share.default(1).describe("Maximum probability of a random opponent move"),
    numGroups: z
      .int()
      .min(1)
      .default(1)
      .describe("Parts of that range; example i draws from part i mod numGroups"),
    maxTurns: z.int().min(1).default(8).describe("Maximum number of turns of the model in a game"),
    opponent: z
      .enum(opponentNames)
      .default("minimax")
      .describe("How the opponent plays when it does not move at random"),
    turnOpponent: z
      .boolean()
      .default(false)
      .describe("Let it see the board turned or mirrored, in one of eight ways drawn per game"),
    start: z
      .enum(["opening", "any", "every"])
      .default("opening")
      .describe("Games begin at the opening, at any position, or once at every position"),
    speedBonus: share
      .default(0)
      .describe("Added to the reward of a win in three moves; less for a slower one"),
    faithfulWeight: share
      .default(0)
      .describe("Added to the reward if all thoughts state all facts truly; less if some do"),
  })
  .refine(({ minRandomMoveProb, maxRandomMoveProb }) => minRandomMoveProb <= maxRandomMoveProb, {
    path: ["minRandomMoveProb"],
    error: "must not be greater than maxRandomMoveProb",
  });
