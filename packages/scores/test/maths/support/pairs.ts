import { readFileSync } from "node:fs";
import { join } from "node:path";

import { boxedParser } from "@envs/core";

/** Two answers, of which the second is right. `pairs.jsonl` has one a line. */
export interface Pair {
  readonly kind: string;
  readonly answer: string;
  readonly reference: string;
  /** What a mathematician says. */
  readonly same: boolean;
  /** What Math-Verify 0.9.0 said in CPython when `record-verdicts.ts` ran. */
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
