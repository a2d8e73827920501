import { smoke } from "../../../src/smoke/smoke.ts";
import type { Verdict } from "../../../src/smoke/verdict.ts";
import type { Case } from "./broken.ts";

/** Enough for tasks of a few tokens. */
const budget = {
  trainingExamples: 800,
  evaluationExamples: 128,
  warmUpTokens: 30_000,
  learningTokens: 40_000,
};

/** The verdict on each case. */
export async function verdictsOn(
  cases: readonly Case[],
): Promise<readonly { readonly name: string; readonly verdict: Verdict }[]> {
  const verdicts = [];
  for (const [name, make] of cases)
    verdicts.push({ name, verdict: (await smoke(make()(), { threads: 1, budget })).verdict });
  return verdicts;
}
