import { type Dice, narrator } from "./narrator.ts";
import type { Scene } from "./scene.ts";
import { garden, kitchen, neighbours, workshop } from "./scenes/home.ts";
import { harbour, mountain, nightSky, weather } from "./scenes/outdoors.ts";
import { library, market, railway, school } from "./scenes/town.ts";
import { madeUpWord } from "./words.ts";

export const scenes: readonly Scene[] = [
  garden,
  harbour,
  kitchen,
  library,
  market,
  mountain,
  neighbours,
  nightSky,
  railway,
  school,
  weather,
  workshop,
];

/** How long a text may be, in characters, both ends included. */
export interface Lengths {
  readonly minLength: number;
  readonly maxLength: number;
}

const patience = 10_000;

/** Below it there are hardly any sentences. */
const shortestSentence = 10;

/**
 * Endless texts, from a few words to a paragraph, no two of them equal. Short and long ones are about equally common:
 * the length aimed at is drawn from a logarithmic scale. Where there is no room for a sentence, they are made-up words.
 */
export function* texts(lengths: Lengths, dice: Dice): Generator<string> {
  const told = new Set<string>();
  for (;;) {
    const text = newText(lengths, dice, told);
    told.add(text);
    yield text;
  }
}

function newText(lengths: Lengths, dice: Dice, told: ReadonlySet<string>): string {
  const { minLength, maxLength } = lengths;
  for (let attempt = 0; attempt < patience; attempt += 1) {
    const text =
      maxLength < shortestSentence
        ? madeUpWord(minLength + Math.floor(dice.next() * (maxLength + 1 - minLength)), dice)
        : compose(dice.pick(scenes), minLength * (maxLength / minLength) ** dice.next(), dice);
    if (text.length >= minLength && text.length <= maxLength && !told.has(text)) return text;
  }
  throw new RangeError(
    `After ${told.size} texts there is no other of ${minLength} to ${maxLength} characters. Allow more lengths or ask for fewer examples.`,
  );
}

/** A text of about `length` characters. */
function compose(scene: Scene, length: number, dice: Dice): string {
  const tell = narrator(scene, dice);
  const opening = dice.pick([...scene.opening, ...scene.short]);
  let text = tell(opening);
  for (const template of dice.shuffle(scene.middle)) {
    if (text.length >= length * 0.8) return text;
    text += ` ${tell(template)}`;
  }
  return text.length < length ? `${text} ${tell(dice.pick(scene.closing))}` : text;
}
