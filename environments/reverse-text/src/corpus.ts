import { type RandomSource, narrator } from "./narrator.ts";
import type { Scene } from "./scene.ts";
import stories from "./scenes/scenes.json" with { type: "json" };
import { pseudoword } from "./words.ts";

export const scenes: readonly Scene[] = Object.values(stories);

/** Bounds on a text's length in UTF-16 code units, both inclusive. */
export interface LengthRange {
  readonly minLength: number;
  readonly maxLength: number;
}

const maxAttempts = 10_000;

/** The scenes have hardly any shorter sentences. */
const minSentenceLength = 10;

/**
 * Yields texts without end and without repeats, from a few words to a paragraph. Target lengths are drawn from a
 * logarithmic scale, so short and long texts are about equally common. If `maxLength` is too short for sentences, the
 * texts are pseudowords.
 */
export function* texts(lengths: LengthRange, random: RandomSource): Generator<string> {
  const seen = new Set<string>();
  for (;;) {
    const text = newText(lengths, random, seen);
    seen.add(text);
    yield text;
  }
}

function newText(lengths: LengthRange, random: RandomSource, seen: ReadonlySet<string>): string {
  const { minLength, maxLength } = lengths;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const text =
      maxLength < minSentenceLength
        ? pseudoword(minLength + Math.floor(random.next() * (maxLength + 1 - minLength)), random)
        : compose(
            random.pick(scenes),
            minLength * (maxLength / minLength) ** random.next(),
            random,
          );
    if (text.length >= minLength && text.length <= maxLength && !seen.has(text)) return text;
  }
  throw new RangeError(
    `Cannot make another text of ${minLength} to ${maxLength} characters after ${seen.size} texts. Widen minLength and maxLength, or lower the option \`examples\`.`,
  );
}

/** Makes a text of about `length` characters. */
function compose(scene: Scene, length: number, random: RandomSource): string {
  const fill = narrator(scene, random);
  const opening = random.pick([...scene.opening, ...scene.short]);
  let text = fill(opening);
  for (const template of random.shuffle(scene.middle)) {
    if (text.length >= length * 0.8) return text;
    text += ` ${fill(template)}`;
  }
  return text.length < length ? `${text} ${fill(random.pick(scene.closing))}` : text;
}
