import { type Board, freeCells } from "./game.ts";
import type { RandomSource } from "./opponent.ts";
import {
  type Drawing,
  fillerMarks,
  fillerWords,
  heldOutDrawings,
  heldOutWordings,
  standardDrawing,
  standardWording,
  variedDrawings,
  variedSentences,
  type Wording,
} from "./wordings.ts";

/** How the messages of a game show the board and what they say about it. */
export interface Presentation {
  readonly wording: Wording;
  readonly drawing: Drawing;
}

/** The values of the config options `wording` and `drawing`. */
export const presentationNames = ["standard", "varied", "held-out"] as const;

export type PresentationName = (typeof presentationNames)[number];

/** The presentation of the published environment. */
export const standardPresentation: Presentation = {
  wording: standardWording,
  drawing: standardDrawing,
};

/** Draws a wording of the kind `name`. */
export function drawWording(name: PresentationName, random: RandomSource): Wording {
  if (name === "held-out") return random.pick(heldOutWordings);
  return name === "varied" ? varyWording(random) : standardWording;
}

/** Chooses a random drawing of the kind `name`. */
export function drawDrawing(name: PresentationName, random: RandomSource): Drawing {
  if (name === "held-out") return random.pick(heldOutDrawings);
  return name === "varied" ? varyDrawing(random) : standardDrawing;
}

/** Three rows; a free cell shows its number. */
export function drawBoard(board: Board, { cells, rows }: Drawing = standardDrawing): string {
  const shown = Array.from(board, (cell, index) => (cell === "." ? String(index) : cell));
  return [0, 3, 6].map((start) => shown.slice(start, start + 3).join(cells)).join(rows);
}

/** The message of a turn. */
export function describeTurn(board: Board, { wording, drawing }: Presentation): string {
  const { before, list, turn, after } = wording;
  const free = list === "" ? "" : `${list} ${freeCells(board).join(", ")}\n`;
  return `${before}${drawBoard(board, drawing)}\n\n${free}${turn}${after}`.trimEnd();
}

/** The probabilities of varied wordings. */
const share = {
  standard: 0.15,
  before: 0.3,
  after: 0.35,
  /** The probability of a known sentence instead of an invented one, and of the standard sentence among the known ones. */
  known: 0.6,
  standardSentence: 0.4,
  missingList: 0.2,
  missingTurn: 0.1,
};

/** Sentences in many combinations. Some are invented, so that a model learns to ignore what it does not know. */
function varyWording(random: RandomSource): Wording {
  const is = (probability: number): boolean => random.next() < probability;
  const sentence = (known: readonly string[], standard: string, missing: number): string => {
    if (is(missing)) return "";
    if (!is(share.known)) return inventSentence(random);
    return is(share.standardSentence) ? standard : random.pick(known);
  };
  if (is(share.standard)) return standardWording;
  const { before, list, turn } = variedSentences;
  return {
    before: is(share.before)
      ? (is(share.known) ? random.pick(before) : inventSentence(random)) +
        random.pick(["\n", "\n\n"])
      : "",
    list: sentence(list, standardWording.list, share.missingList),
    turn: sentence(turn, standardWording.turn, share.missingTurn),
    after: is(share.after) ? random.pick([" ", "\n"]) + inventSentence(random) : "",
  };
}

const maxFillerWords = 12;
const maxFillerLetters = 8;
const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
const marks = [".", ".", ".", "!", "?", ":", ",", ""];

/** One to twelve words, half of them made of random letters. Short sentences are more probable. */
function inventSentence(random: RandomSource): string {
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const count = 1 + below(1 + below(maxFillerWords));
  const words = Array.from({ length: count }, () => {
    if (random.next() < 0.5) return random.pick(fillerWords);
    const length = 1 + below(maxFillerLetters);
    return Array.from({ length }, () => random.pick(letters)).join("");
  });
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1) + random.pick(marks);
}

/** The probabilities of varied drawings: the standard one, one of the list, else invented separators. */
const drawn = { standard: 0.7, listed: 0.25 };
const maxRuler = 12;

function varyDrawing(random: RandomSource): Drawing {
  const draw = random.next();
  if (draw < drawn.standard) return standardDrawing;
  if (draw < drawn.standard + drawn.listed) return random.pick(variedDrawings);
  const mark = random.pick(fillerMarks);
  const space = random.pick(["", " ", "  "]);
  const ruler = random.pick(fillerMarks).repeat(Math.floor(random.next() * maxRuler));
  return { cells: `${space}${mark}${space}`, rows: ruler === "" ? "\n" : `\n${ruler}\n` };
}
