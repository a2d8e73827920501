import { bootstrapMean, type Interval } from "@envs/records";

import type { Candidate } from "./candidate.ts";
import type { Trial } from "./journal.ts";
import type { Prompts } from "./prompts.ts";

/** The first and the best prompts on examples that the search did not use. */
export interface HeldOut {
  /** The examples that both have finished. */
  readonly examples: number;
  readonly before: number;
  readonly after: number;
  /** The interval of the difference, by example; `undefined` for fewer than two examples. */
  readonly interval: Interval | undefined;
}

/** Plays the first and the best candidate on the held-out examples. */
export async function compareHeldOut(
  [first, best]: readonly [Candidate, Candidate],
  play: (prompts: Prompts) => Promise<ReadonlyMap<string, Trial>>,
): Promise<HeldOut> {
  const before = await play(first.prompts);
  const after = best === first ? before : await play(best.prompts);
  const pairs = [...before].flatMap(([key, { reward }]) => {
    const other = after.get(key);
    return other === undefined ? [] : [{ before: reward, after: other.reward }];
  });
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return {
    examples: pairs.length,
    before: mean(pairs.map((pair) => pair.before)),
    after: mean(pairs.map((pair) => pair.after)),
    interval: bootstrapMean(pairs.map((pair) => [pair.after - pair.before])),
  };
}
