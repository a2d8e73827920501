import type { Environment } from "./environment.ts";
import { boundary, ConfigError } from "./errors.ts";
import { type Example, isRows, keyed, type KeyedExample, type Rows, shuffle } from "./example.ts";
import { random } from "./random.ts";

export interface ExamplesOptions {
  /** How many. Default: all, which may be infinitely many. */
  readonly count?: number;
  /** Which split. Default: `eval` if there is one, else the first. */
  readonly split?: string;
  readonly shuffle?: boolean;
  /** The run's seed. Default 0. */
  readonly seed?: number;
}

/** The examples of an environment, numbered and keyed, lazily. */
export async function* examples<E extends Example>(
  environment: Environment<E>,
  options: ExamplesOptions = {},
): AsyncGenerator<KeyedExample<E>> {
  const { count = Infinity, seed = 0 } = options;
  const all = keyed(await rowsOf(environment, options));
  const ordered = options.shuffle === true ? shuffle(all, random(seed, "shuffle")) : all;
  let left = count;
  if (left <= 0) return;
  for await (const row of ordered) {
    yield row;
    left -= 1;
    if (left <= 0) return;
  }
}

/** A split of a dataset, or the whole of one that is not divided: then it has no name. */
export interface SplitSize {
  readonly name: string | null;
  /** How many rows; `null` if they are endless, or too many to be counted. */
  readonly size: number | null;
}

/** How many rows each split of an environment's dataset has. Rows that are not in an array are counted up to `most`. */
export async function splitSizesOf(
  environment: Environment,
  most = 10_000,
): Promise<readonly SplitSize[]> {
  const dataset = await load(environment, 0);
  const splits = isRows(dataset) ? [[null, dataset] as const] : Object.entries(dataset);
  const sizes: SplitSize[] = [];
  for (const [name, rows] of splits) {
    const size = await boundary("environment", "the dataset", () => sizeOf(rows, most));
    sizes.push({ name, size });
  }
  return sizes;
}

async function sizeOf(rows: Rows<unknown>, most: number): Promise<number | null> {
  if (Array.isArray(rows)) return rows.length;
  let size = 0;
  for await (const _ of rows) {
    size += 1;
    if (size > most) return null;
  }
  return size;
}

/** The names of an environment's splits; none if its dataset is not divided. */
export async function splitsOf(environment: Environment): Promise<readonly string[]> {
  const dataset = await load(environment, 0);
  return isRows(dataset) ? [] : Object.keys(dataset);
}

async function rowsOf<E extends Example>(
  environment: Environment<E>,
  { split, seed = 0 }: ExamplesOptions,
): Promise<Rows<E>> {
  const dataset = await load(environment, seed);
  const names = isRows(dataset) ? [] : Object.keys(dataset);
  if (isRows(dataset)) {
    if (split === undefined) return dataset as Rows<E>;
    throw new ConfigError(
      `${environment.name} has no splits, so there is no split ${JSON.stringify(split)}.`,
    );
  }
  const name = split ?? (names.includes("eval") ? "eval" : names[0]);
  if (name === undefined)
    throw new ConfigError(`The dataset of ${environment.name} has no splits and no rows.`);
  const rows = Object.hasOwn(dataset, name) ? dataset[name] : undefined;
  if (rows !== undefined) return rows as Rows<E>;
  throw new ConfigError(
    `${environment.name} has no split ${JSON.stringify(name)}. It has: ${names.join(", ")}.`,
  );
}

function load({ definition, config }: Environment, seed: number) {
  return boundary("environment", "the dataset", () =>
    definition.dataset({ config: config, random: random(seed, "dataset") }),
  );
}
