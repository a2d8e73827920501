import { imagePart, type Random, thinkParser, userMessage, xmlParser } from "@envs/core";

import type { Config } from "./config.ts";
import { drawSquares } from "./draw.ts";
import { type ColorName, palette } from "./palette.ts";

const parser = xmlParser("word");
const thoughts = thinkParser({ lenient: true });
const alphabet = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

export const rules = `Each colour stands for a letter. You see images with coloured squares; read each from left to right.
The squares of all images together spell a code word. After each image, reply with the word so far: ${parser.format}`;

export const writeWord = (word: string): string => parser.render({ word });

/** The word of a reply in capital letters, without white space; empty for a reply without a word. */
export function readWord(reply: string): string {
  return (parser.parse(thoughts.parse(reply)).word ?? "").replaceAll(/\s/g, "").toUpperCase();
}

/** Draws a code: which letter each colour stands for, and the colours of the word. */
export function createCode(random: Random, { images, squares, colors: count }: Config) {
  const names = random.shuffle(palette.map(({ name }) => name)).slice(0, count);
  const letters = random.shuffle(alphabet).slice(0, count);
  const legend = names.map((color, index) => ({ color, letter: letters[index]! }));
  const spelled = Array.from({ length: images * squares }, () => random.pick(legend));
  const word = spelled.map(({ letter }) => letter).join("");
  return { legend, colors: spelled.map(({ color }) => color), word };
}

interface ShownCode {
  readonly legend: readonly { readonly color: ColorName; readonly letter: string }[];
  readonly colors: readonly ColorName[];
}

/** The message with the image of an index, counted from 0. The first contains the legend. */
export function showImage(
  { legend, colors }: ShownCode,
  index: number,
  { images, squares, size }: Config,
) {
  const key = legend.map(({ color, letter }) => `${color} is ${letter}`).join(", ");
  const caption = `Image ${index + 1} of ${images}:`;
  const shown = colors.slice(index * squares, (index + 1) * squares);
  return userMessage([
    { type: "text", text: index === 0 ? `The colours: ${key}.\n${caption}` : caption },
    imagePart(drawSquares(shown, size)),
  ]);
}

/** The share of letters in their place. Letters beyond the word count as wrong. */
export function shareRight(written: string, word: string): number {
  const right = Array.from(word).filter((letter, index) => written[index] === letter).length;
  return right / Math.max(word.length, written.length);
}
