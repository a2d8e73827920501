import { eventLoopYield, onAbort, untilAborted } from "../abort.ts";
import {
  type Example,
  isRows,
  type KeyedExample,
  knownSize,
  type Rows,
  type SelectExamples,
} from "../dataset/example.ts";
import { checkIds, ExampleKeys, withKeys } from "../dataset/keyed-examples.ts";
import { shuffle, take } from "../dataset/rows.ts";
import { ConfigError } from "../errors.ts";
import { HookScope } from "../hook-scope.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import { random } from "../random.ts";
import type { Environment } from "./environment.ts";

export interface ExamplesOptions {
  /** Chooses examples by position, key or content, before they are shuffled and counted. Default: all. */
  readonly select?: SelectExamples | undefined;
  /** The maximum number of examples. Default: all, possibly infinitely many. */
  readonly count?: number | undefined;
  /** The name of the split. Default: `eval` if it exists, else the first. */
  readonly split?: string | undefined;
  /** Whether to shuffle, by the seed. Default false. */
  readonly shuffle?: boolean | undefined;
  /** The run's seed. Default 0. */
  readonly seed?: number | undefined;
  /** Ends the examples when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads the examples of an environment lazily, with their positions and keys. */
export async function* examples<E extends Example>(
  environment: Environment<E>,
  options: ExamplesOptions = {},
): AsyncGenerator<KeyedExample<E>> {
  const { count = Infinity, seed = 0, select = (all) => all, signal } = options;
  const rows = await rowsOf(environment, options);
  if (Array.isArray(rows)) checkIds(rows);
  const [keys, limits] = [new ExampleKeys(), mediaLimitsOf(environment.definition)];
  const read = (part: Rows<E>, start: number) =>
    withKeys(readRows(part, signal), limits, keys, start);
  const { from } = rows as { readonly from?: (index: number) => Rows<E> };
  const source = Object.assign(read(rows, 0), {
    from: from && ((index: number) => read(from.call(rows, index), index)),
  });
  const keyed = select(source) as AsyncIterable<KeyedExample<E>>;
  const ordered = options.shuffle === true ? shuffle(keyed, random(seed, "shuffle")) : keyed;
  const counted = take(ordered, count);
  yield* signal === undefined ? counted : untilAborted(counted, signal);
}

/** Yields the rows until `signal` is aborted. Reads each of them in a scope, because generators run an author's code. */
async function* readRows<E>(rows: Rows<E>, signal: AbortSignal | undefined): AsyncGenerator<E> {
  const iterator =
    Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const scope = new HookScope();
  const yieldIfBusy = eventLoopYield();
  // Ends a filter's search for its next row. Does not wait, because the iterator may hang.
  const unsubscribe = onAbort(signal, () => {
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  });
  let isReading = false;
  try {
    for (;;) {
      isReading = true;
      const next = await scope.run("environment", "the dataset", () => iterator.next());
      if (next.done === true) return;
      isReading = false;
      yield next.value;
      await yieldIfBusy();
      if (signal?.aborted === true) return;
    }
  } finally {
    unsubscribe();
    // Does not call `return` after an error of the iterator itself, whose `return` may hang.
    if (!isReading) await iterator.return?.();
  }
}

/** The size of a split, or of a dataset without splits. */
export interface SplitSize {
  /** `null` for a dataset without splits. */
  readonly name: string | null;
  /** The number of rows; `null` if it exceeds the limit, as for an infinite dataset. */
  readonly size: number | null;
}

/** Counts the rows of each split. Counting stops at `limit`, except for arrays. Rows that have a `size` are not read. */
export async function splitSizesOf(
  environment: Environment,
  limit = 10_000,
): Promise<readonly SplitSize[]> {
  const dataset = await load(environment, 0);
  const splits = isRows(dataset) ? [[null, dataset] as const] : Object.entries(dataset);
  const sizes: SplitSize[] = [];
  for (const [name, rows] of splits) {
    const size = await new HookScope().run("environment", "the dataset", () => sizeOf(rows, limit));
    sizes.push({ name, size });
  }
  return sizes;
}

async function sizeOf(rows: Rows<unknown>, limit: number): Promise<number | null> {
  const known = knownSize(rows);
  if (known !== undefined) return Number.isFinite(known) ? known : null;
  let size = 0;
  for await (const _ of take(rows, limit + 1)) size += 1;
  return size > limit ? null : size;
}

/** The names of an environment's splits; empty for a dataset without splits. */
export async function splitsOf(environment: Environment): Promise<readonly string[]> {
  const dataset = await load(environment, 0);
  return isRows(dataset) ? [] : Object.keys(dataset);
}

async function rowsOf<E extends Example>(
  environment: Environment<E>,
  { split, seed = 0 }: ExamplesOptions,
): Promise<Rows<E>> {
  const dataset = await load(environment, seed);
  if (isRows(dataset)) {
    if (split === undefined) return dataset as Rows<E>;
    throw new ConfigError(
      `${environment.name} has no split ${JSON.stringify(split)}: its dataset is not split.`,
    );
  }
  const names = Object.keys(dataset);
  const name = split ?? (names.includes("eval") ? "eval" : names[0]);
  if (name === undefined)
    throw new ConfigError(`The dataset of ${environment.name} has neither rows nor splits.`);
  const rows = Object.hasOwn(dataset, name) ? dataset[name] : undefined;
  if (rows !== undefined) return rows as Rows<E>;
  throw new ConfigError(
    `${environment.name} has no split ${JSON.stringify(name)}. It has: ${names.join(", ")}.`,
  );
}

function load({ definition, config }: Environment, seed: number) {
  return new HookScope().run("environment", "the dataset", () =>
    definition.dataset({ config, random: random(seed, "dataset") }),
  );
}
