// prose-ignore-file: fiction to reverse
import type { Words } from "../scene.ts";

export interface Person {
  readonly name: string;
  readonly they: "she" | "he";
  readonly their: "her" | "his";
}

const women = [
  "Marta",
  "Ida",
  "Yuki",
  "Leila",
  "Olga",
  "Zoë",
  "Nkechi",
  "Ruth",
  "Camille",
  "Priya",
];
const men = ["Piet", "Aldo", "Tomás", "Henrik", "Samir", "Jakob", "Wei", "Oscar", "Björn", "Felix"];

export const people: readonly Person[] = [
  ...women.map((name) => ({ name, they: "she", their: "her" }) as const),
  ...men.map((name) => ({ name, they: "he", their: "his" }) as const),
];

/** Words that every scene may use. */
export const commonWords: Words = {
  day: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
  month: ["January", "March", "April", "June", "August", "September", "November"],
  relative: ["aunt", "grandfather", "sister", "brother-in-law", "cousin", "great-uncle"],
};
