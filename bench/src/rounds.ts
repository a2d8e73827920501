import { seconds } from "./figure.ts";

/** Seconds of each work in each round. */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Measures several works in turns, after a round that does not count: whatever else the machine does slows all of them
 * alike.
 */
export async function rounds<Name extends string>(
  times: number,
  works: Readonly<Record<Name, () => Promise<void>>>,
): Promise<Rounds<Name>> {
  const names = Object.keys(works) as Name[];
  for (const name of names) await works[name]();
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let time = 0; time < times; time += 1)
    for (const name of names) measured[name].push(await seconds(works[name]));
  return measured;
}

/** The throughput per second, with `amount` units in each round. */
export function rate(
  amount: number,
  times: readonly number[],
): { readonly value: number; readonly median: number } {
  return { value: amount / Math.min(...times), median: amount / median(times) };
}

/** How many times faster one is than another: of their best rounds, and in the median round. */
export function gain(
  fast: readonly number[],
  slow: readonly number[],
): { readonly value: number; readonly median: number } {
  return {
    value: Math.min(...slow) / Math.min(...fast),
    median: median(slow.map((time, round) => time / fast[round]!)),
  };
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}
