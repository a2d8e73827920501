import type { Scene } from "./scene.ts";
import { commonWords, people } from "./scenes/everyone.ts";

/** What a text needs of a stream of random numbers. */
export interface Dice {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** One of `items`, each as likely as the others. */
  pick<Item>(items: readonly Item[]): Item;
  /** A shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Fills the slots of templates; the texts that one narrator tells belong together. */
export type Narrator = (template: string) => string;

/** Begins a text: one person, and a word for each slot, kept to its end. */
export function narrator(scene: Scene, dice: Dice): Narrator {
  const words = { ...commonWords, ...scene.words };
  const { name, they, their } = dice.pick(people);
  const bound = new Map<string, readonly string[]>();
  let isIntroduced = false;

  const personal = (slot: string): string | undefined => {
    // Whoever was not named yet cannot be "she".
    const spoken = isIntroduced ? { they, their } : { they: name, their: `${name}'s` };
    if (slot !== "name" && slot !== "they" && slot !== "their") return undefined;
    isIntroduced = true;
    return slot === "name" ? name : spoken[slot];
  };

  const word = (slot: string): string => {
    const [, list = "", place = "1"] = /^(\p{L}+)(\d?)$/u.exec(slot) ?? [];
    const choices = words[list];
    if (choices === undefined) throw new Error(`The scene has no words for {${slot}}.`);
    if (!bound.has(list)) bound.set(list, dice.shuffle(choices));
    return bound.get(list)![Number(place || "1") - 1]!;
  };

  return (template) =>
    template.replaceAll(/\{(\w+)\}/gu, (_, slot: string) => {
      const lower = slot.charAt(0).toLowerCase() + slot.slice(1);
      const text = personal(lower) ?? word(lower);
      return slot === lower ? text : text.charAt(0).toUpperCase() + text.slice(1);
    });
}
