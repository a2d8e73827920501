import type { Message, Model } from "@envs/core";
import { isRolloutError } from "@envs/core/engine";

import { standardPresentation } from "../presentation.ts";
import { heldOutDrawings, heldOutWordings, type Wording } from "../wordings.ts";
import type { Ask } from "./ask.ts";
import { type Probe, probe } from "./probe.ts";
import type { Tally } from "./tally.ts";
import { walk } from "./walk.ts";

/** Shares of one row of a stage's table, and a note. */
export interface Figures {
  readonly shares: Readonly<Record<string, number>>;
  readonly note: string;
}

/**
 * Evaluates a model exactly, at temperature 0: all games against both opponents, all positions, and the same with each wording
 * and drawing that no training uses. A model with mostly invalid moves has no figures for these.
 */
export async function exactFigures(model: Model): Promise<Readonly<Record<string, Figures>>> {
  const ask = asked(model);
  const { random, minimax } = await walk(ask, { opponents: ["random", "minimax"] });
  const single = await probe(ask);
  const figures: Record<string, Figures> = {
    random: ofTally(random),
    optimal: ofTally(minimax),
    "any position": ofProbe(single),
  };
  if (single.invalid > 0.5) return figures;
  const unseen = [
    ...heldOutWordings.map((wording) => ({ wording, drawing: standardPresentation.drawing })),
    ...heldOutDrawings.map((drawing) => ({ wording: standardPresentation.wording, drawing })),
  ];
  for (const presentation of unseen) {
    const { minimax: tally } = await walk(ask, { opponents: ["minimax"], presentation });
    const single = await probe(ask, { presentation });
    const { drawing, wording } = presentation;
    const name =
      wording === standardPresentation.wording
        ? `drawn as ${["0", "1", "2"].join(drawing.cells)}`
        : `worded ${describeWording(wording)}`;
    figures[`optimal, ${name}`] = {
      shares: { ...ofTally(tally).shares, ...valueShares(single) },
      note: `${losses(tally)}, ${misplays(single)}`,
    };
  }
  return figures;
}

/** Evaluates a model exactly in both seats, at temperature 0: all games against both opponents. */
export async function figuresBySeat(model: Model): Promise<Readonly<Record<string, Figures>>> {
  const ask = asked(model);
  const figures: Record<string, Figures> = {};
  for (const seat of ["X", "O"] as const) {
    const { random, minimax } = await walk(ask, { opponents: ["random", "minimax"], seat });
    figures[`${seat}, random`] = ofTally(random);
    figures[`${seat}, optimal`] = ofTally(minimax);
  }
  return figures;
}

/** The sentences of a wording: `Open squares: … What will you play?`. */
function describeWording({ before, list, turn, after }: Wording): string {
  return [before, list === "" ? "" : `${list} …`, turn + after]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ");
}

function ofTally(tally: Tally): Figures {
  const { win, draw, loss, invalid, missedWins } = tally;
  return {
    shares: { win, draw, loss, invalid },
    note: `${losses(tally)}, ${missedWins.length} wins missed or delayed`,
  };
}

function ofProbe(result: Probe): Figures {
  return {
    shares: { ...valueShares(result), invalid: result.invalid },
    note: misplays(result),
  };
}

function losses({ lines, losingLines }: Tally): string {
  return `${losingLines.length} losing of ${lines} lines`;
}

function misplays({ misplays, invalid, positions }: Probe): string {
  const invalidMoves = Math.round(invalid * positions);
  return `${misplays.length} misplays and ${invalidMoves} invalid in ${positions} positions`;
}

/** “value”: the move keeps the value of the position; “even”: equal moves in all images of a position. */
function valueShares({ keepsValue, evenShapes }: Probe): Record<string, number> {
  return { value: keepsValue, even: evenShapes };
}

/** A conversation that exceeds the model's context has no reply, which is an invalid move. */
function asked(model: Model): Ask {
  const { signal } = new AbortController();
  const sampling = { temperature: 0, maxTokens: 48 };
  const answer = async (messages: readonly Message[]): Promise<string> => {
    try {
      return (await model({ messages, sampling, signal })).message.content;
    } catch (error) {
      if (isRolloutError(error) && error.isOverflow) return "";
      throw error;
    }
  };
  return (conversations) => Promise.all(conversations.map(answer));
}
