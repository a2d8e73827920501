import * as z from "zod";

import { opponentNames } from "./players.ts";
import { presentationNames } from "./presentation.ts";

const share = z.number().min(0).max(1);

/** The options of the environment. */
export const config = z
  .object({
    examples: z
      .int()
      .min(1)
      .default(1000)
      .describe("Number of games in the dataset; ignored if `start` is every"),
    minRandomMoveProb: share.default(0).describe("Minimum probability of a random opponent move"),
    maxRandomMoveProb: share.default(1).describe("Maximum probability of a random opponent move"),
    numGroups: z
      .int()
      .min(1)
      .default(1)
      .describe("Number of parts of this range; example i draws from part i mod numGroups"),
    maxTurns: z.int().min(1).default(8).describe("Maximum number of turns of the model in a game"),
    opponent: z
      .enum(opponentNames)
      .default("minimax")
      .describe("Strategy of the opponent when it does not move at random"),
    turnOpponent: z
      .boolean()
      .default(false)
      .describe(
        "Whether the opponent sees the board rotated or mirrored, in a random way per game",
      ),
    start: z
      .enum(["opening", "any", "every"])
      .default("opening")
      .describe("Start positions: the opening, random positions, or every position in each round"),
    rounds: z
      .int()
      .min(1)
      .default(1)
      .describe("Number of games from each position if `start` is every"),
    wording: z
      .enum(presentationNames)
      .default("standard")
      .describe(
        "Sentences around the board: those shown here, others in a random way per game, or ones that no training uses",
      ),
    drawing: z
      .enum(presentationNames)
      .default("standard")
      .describe("Separators of the board's cells and rows, chosen like the wording"),
    speedBonus: share.default(0).describe("Bonus for a win in three moves, less for a slower win"),
    faithfulWeight: share
      .default(0)
      .describe("Bonus if all thoughts state all facts truly, less if some do"),
  })
  .refine(({ minRandomMoveProb, maxRandomMoveProb }) => minRandomMoveProb <= maxRandomMoveProb, {
    path: ["minRandomMoveProb"],
    error: "must not be greater than maxRandomMoveProb",
  });
