/** The processor time of one round, in milliseconds: of the measured work, then of its reference. */
export type Pair = readonly [work: number, reference: number];

export interface AlternateOptions {
  readonly rounds: number;
  /** Rounds before the measured ones, in which V8 compiles the code. */
  readonly warmUps: number;
}

/** Measures short rounds of work and of its reference in alternation. Each function returns the processor time that it used. */
export async function alternate(
  { rounds, warmUps }: AlternateOptions,
  work: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<number> {
  const pairs: Pair[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    const pair = [await work(), await reference()] as const;
    if (round >= 0) pairs.push(pair);
  }
  return ratio(pairs);
}

/**
 * Returns the cost of the work as a multiple of its reference. Compares rounds that were hardly disturbed: other programs only add to
 * processor time, by taking caches and memory bandwidth, and the garbage collector runs in some rounds only.
 */
export function ratio(pairs: readonly Pair[]): number {
  return quiet(pairs.map(([work]) => work)) / quiet(pairs.map(([, reference]) => reference));
}

/** The tenth percentile. */
function quiet(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)]!;
}
