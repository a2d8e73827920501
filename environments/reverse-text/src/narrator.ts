import type { Scene } from "./scene.ts";
import { commonWords, people } from "./scenes/everyone.ts";

/** The part of core's `Random` that texts use. */
export interface RandomSource {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** One of `items`, all equally likely. */
  pick<Item>(items: readonly Item[]): Item;
  /** A shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Fills the slots of a template. All templates of one narrator share a person and a word for each slot. */
export type Narrator = (template: string) => string;

/** Picks the person and lazily a word for each slot. Throws if a template names a slot without words. */
export function narrator(scene: Scene, random: RandomSource): Narrator {
  const words = { ...commonWords, ...scene.words };
  const { name, they, their } = random.pick(people);
  const bound = new Map<string, readonly string[]>();
  let isIntroduced = false;

  const personal = (slot: string): string | undefined => {
    // Before the name has appeared, a pronoun would have no antecedent.
    const pronouns = isIntroduced ? { they, their } : { they: name, their: `${name}'s` };
    if (slot !== "name" && slot !== "they" && slot !== "their") return undefined;
    isIntroduced = true;
    return slot === "name" ? name : pronouns[slot];
  };

  const word = (slot: string): string => {
    const [, list = "", place = "1"] = /^(\p{L}+)(\d?)$/u.exec(slot) ?? [];
    const choices = words[list];
    if (choices === undefined) throw new Error(`The scene has no words for {${slot}}.`);
    if (!bound.has(list)) bound.set(list, random.shuffle(choices));
    return bound.get(list)![Number(place || "1") - 1]!;
  };

  return (template) =>
    template.replaceAll(/\{(\w+)\}/gu, (_, slot: string) => {
      const lower = slot.charAt(0).toLowerCase() + slot.slice(1);
      const text = personal(lower) ?? word(lower);
      return slot === lower ? text : text.charAt(0).toUpperCase() + text.slice(1);
    });
}
