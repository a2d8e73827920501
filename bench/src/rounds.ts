import { seconds } from "./figure.ts";

/** The seconds of each task, by round. */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Times tasks in alternation, so that other load on the machine slows all of them alike. Runs each once before that,
 * as a warm-up. A task that returns a number has measured its seconds itself, in another process.
 */
export async function rounds<Name extends string>(
  count: number,
  tasks: Readonly<Record<Name, () => Promise<number | void>>>,
): Promise<Rounds<Name>> {
  const names = Object.keys(tasks) as Name[];
  for (const name of names) await tasks[name]();
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < count; round += 1)
    for (const name of names) {
      let own: number | undefined = undefined;
      const elapsed = await seconds(async () => {
        own = (await tasks[name]()) ?? undefined;
      });
      measured[name].push(own ?? elapsed);
    }
  return measured;
}

/** The throughput in units per second, with `amount` units in each round. */
export function rate(
  amount: number,
  times: readonly number[],
): { readonly value: number; readonly median: number } {
  return { value: amount / Math.min(...times), median: amount / median(times) };
}

/** How many times faster `fast` is than `slow`: the ratio of their best rounds, and the median ratio of a round. */
export function speedup(
  fast: readonly number[],
  slow: readonly number[],
): { readonly value: number; readonly median: number } {
  return {
    value: Math.min(...slow) / Math.min(...fast),
    median: median(slow.map((time, round) => time / fast[round]!)),
  };
}

/** The mean of the two middle values if the count is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}
