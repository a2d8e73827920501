import type { Fact } from "./report.ts";

type Words = Pick<Fact, "words">;

/** The share of facts whose words a text has. */
export function coverage(text: string, facts: readonly Words[]): number {
  const words = new Set(wordsOf(text));
  const covered = facts.filter((fact) =>
    wordsOf(fact.words.join(" ")).every((word) => words.has(word)),
  );
  return covered.length / facts.length;
}

export function wordCount(text: string): number {
  return wordsOf(text).length;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
