import { type Random, random } from "@envs/core";

import {
  cities,
  type Concern,
  concerns,
  decoys,
  fillers,
  firstNames,
  items,
  lastNames,
  needles,
  said,
} from "./phrases.ts";

export interface Letter {
  readonly number: number;
  readonly writer: string;
  readonly city: string;
  readonly concern: Concern;
  /** The index of the event that only this letter has. */
  readonly needle: number | undefined;
  readonly text: string;
}

/** Writes letters until they have `characters` in total. The same seed gives the same letters. */
export function writeLetters(seed: number, characters: number): readonly Letter[] {
  const source = random("letters", seed);
  const needle = source.int(needles.length);
  const last = Math.floor(characters / averageLength);
  const place = source.int(last) + 1;
  const letters: Letter[] = [];
  for (let length = 0, number = 1; length < characters || number <= place; number += 1) {
    const letter = writeLetter(source, number, number === place ? needle : undefined);
    letters.push(letter);
    length += letter.text.length + 2;
  }
  return letters;
}

/** The text that is given to code. */
export function textOf(letters: readonly Letter[]): string {
  return letters.map(({ text }) => text).join("\n\n");
}

/** The average length of a letter, in characters. */
export const averageLength = 335;

function writeLetter(source: Random, number: number, needle: number | undefined): Letter {
  const writer = `${source.pick(firstNames)} ${source.pick(lastNames)}`;
  const city = source.pick(cities);
  const concern = source.pick(concerns);
  const statement = source.pick(said[concern]).replace("{item}", source.pick(items));
  const extra = [source.pick(decoys), ...source.shuffle(fillers).slice(0, 2 + source.int(3))];
  const event = needle === undefined ? [] : [needles[needle]!.event];
  const body = source.shuffle([statement, ...extra, ...event]).join(" ");
  const text = `Letter ${number}\nFrom: ${writer}, ${city}\n${body}`;
  return { number, writer, city, concern, needle, text };
}
