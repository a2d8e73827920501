import type { Environment, EnvironmentFactory, Example } from "@envs/core";
import { examples, splitsOf } from "@envs/core/engine";

/** Examples to learn from, and others to see what was learned. */
export interface DividedRows {
  readonly learned: readonly Example[];
  readonly held: readonly Example[];
  /** There are too few to hold some back. */
  readonly isShared: boolean;
}

/** How many rows are looked at, and held back, at most. */
export interface RowCounts {
  readonly rows: number;
  readonly held: number;
  readonly seed: number;
}

/** With fewer, a part of them tells nothing. */
const fewest = 64;

/** Takes rows of an environment in random order and holds some back: its `eval` split, or a third of them. */
export async function divide(
  environment: Environment,
  { rows, held, seed }: RowCounts,
): Promise<DividedRows> {
  const take = async (count: number, split?: string): Promise<Example[]> => {
    const taken: Example[] = [];
    for await (const { example } of examples(environment, {
      count,
      seed,
      shuffle: true,
      ...(split === undefined ? {} : { split }),
    }))
      taken.push(example);
    return taken;
  };
  const splits = await splitsOf(environment);
  const toLearn = splits.find((name) => name === "train") ?? splits.find((name) => name !== "eval");
  if (splits.includes("eval") && toLearn !== undefined)
    return { learned: await take(rows, toLearn), held: await take(held, "eval"), isShared: false };
  const all = await take(rows, toLearn);
  if (all.length < fewest) return { learned: all, held: all, isShared: true };
  const apart = Math.min(held, Math.floor(all.length / 3));
  return { learned: all.slice(apart), held: all.slice(0, apart), isShared: false };
}

/** The same environment with these rows as its dataset, whatever config it is asked for with. */
export function withRows(environment: Environment, rows: readonly Example[]): EnvironmentFactory {
  const { definition } = environment;
  const narrowed = { ...environment, definition: { ...definition, dataset: () => rows } };
  return Object.assign(() => narrowed, { definition: narrowed.definition });
}
