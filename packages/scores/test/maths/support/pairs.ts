import { readFileSync } from "node:fs";
import { join } from "node:path";

import { boxedParser } from "@envs/core";

/** Two answers, of which the second is right. `pairs.jsonl` has one pair per line. */
export interface Pair {
  readonly kind: string;
  readonly answer: string;
  readonly reference: string;
  /** The verdict of a mathematician. */
  readonly same: boolean;
  /** The verdict of Math-Verify 0.9.0 in CPython when `record-verdicts.ts` ran. */
  readonly mathVerify: boolean;
}

export const pairsFile: string = join(import.meta.dirname, "../pairs.jsonl");

export function readPairs(): readonly Pair[] {
  const lines = readFileSync(pairsFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Pair);
}

const boxed = boxedParser();

/** The pair as Math-Verify receives it: without boxes. */
export function unboxed({ answer, reference }: Pick<Pair, "answer" | "reference">) {
  return {
    answer: (boxed.parse(answer) ?? answer).trim(),
    reference: (boxed.parse(reference) ?? reference).trim(),
  };
}
