import { eventLoopYield } from "../abort.ts";
import { ConfigError } from "../errors.ts";
import { contentHash } from "../json.ts";
import type { Random } from "../random.ts";
import type { Rows } from "./example.ts";

/** Yields the first `count` rows. */
export async function* take<E>(rows: Rows<E>, count: number): AsyncGenerator<E> {
  let remaining = count;
  if (remaining <= 0) return;
  for await (const row of rows) {
    yield row;
    remaining -= 1;
    if (remaining <= 0) return;
  }
}

/** Yields the result of `change` for each row. */
export async function* map<E, Changed>(
  rows: Rows<E>,
  change: (row: E, index: number) => Changed | Promise<Changed>,
): AsyncGenerator<Awaited<Changed>> {
  let index = 0;
  for await (const row of rows) {
    yield await change(row, index);
    index += 1;
  }
}

/** Yields the rows for which `keep` returns true. `return()` also ends a search for the next row. */
export function filter<E>(
  rows: Rows<E>,
  keep: (row: E) => boolean | Promise<boolean>,
): AsyncGenerator<E> {
  let isClosed = false;
  const kept = (async function* () {
    const yieldIfBusy = eventLoopYield();
    for await (const row of rows) {
      await yieldIfBusy();
      if (isClosed) return;
      if (await keep(row)) yield row;
    }
  })();
  // A generator performs `return()` only after its next `yield`, which a search without a result never reaches.
  const close = kept.return.bind(kept);
  kept.return = (value) => {
    isClosed = true;
    return close(value);
  };
  return kept;
}

/**
 * Yields the rows in a random order, drawn from a buffer of `buffer` rows, so that infinite datasets work too. A row moves
 * forward by at most `buffer` positions. A dataset that fits into the buffer is shuffled uniformly.
 */
export async function* shuffle<E>(
  rows: Rows<E>,
  random: Random,
  buffer = 10_000,
): AsyncGenerator<E> {
  const buffered: E[] = [];
  for await (const row of rows) {
    if (buffered.length < buffer) {
      buffered.push(row);
      continue;
    }
    const slot = random.int(buffer);
    yield buffered[slot]!;
    buffered[slot] = row;
  }
  yield* random.shuffle(buffered);
}

/**
 * Divides finite rows into named splits by each row's content hash: a row stays in its split when other rows are added or
 * removed. `shares` are relative: with `{ train: 9, eval: 1 }`, `eval` gets about a tenth. Asynchronous rows give splits
 * that read them when they are iterated; those of a generator, which can be read once, are kept in memory.
 */
export function split<E, Name extends string>(
  rows: Iterable<E>,
  shares: Readonly<Record<Name, number>>,
): Readonly<Record<Name, readonly E[]>>;
export function split<E, Name extends string>(
  rows: AsyncIterable<E>,
  shares: Readonly<Record<Name, number>>,
): Readonly<Record<Name, AsyncIterable<E>>>;
export function split<E, Name extends string>(
  rows: Rows<E>,
  shares: Readonly<Record<Name, number>>,
): Readonly<Record<Name, Rows<E>>> {
  const nameOf = splitByHash(shares);
  const names = Object.keys(shares) as Name[];
  if (Symbol.asyncIterator in rows) {
    const source = rereadable(rows);
    const part = (name: Name): Rows<E> => ({
      [Symbol.asyncIterator]: () => filter(source, (row) => nameOf(row) === name),
    });
    return Object.fromEntries(names.map((name) => [name, part(name)])) as Record<Name, Rows<E>>;
  }
  const parts = Object.fromEntries(names.map((name) => [name, [] as E[]])) as Record<Name, E[]>;
  for (const row of rows) parts[nameOf(row)].push(row);
  return parts;
}

function splitByHash<Name extends string>(
  shares: Readonly<Record<Name, number>>,
): (row: unknown) => Name {
  const names = Object.keys(shares) as Name[];
  const total = names.reduce((sum, name) => sum + shares[name], 0);
  if (!(total > 0 && total < Infinity) || names.some((name) => !(shares[name] >= 0)))
    throw new ConfigError(
      "dataset.split() requires finite shares of at least 0, of which one is above 0.",
    );
  return (row) => {
    let position = (Number.parseInt(contentHash(row).slice(0, 12), 16) / 16 ** 12) * total;
    return names.find((candidate) => (position -= shares[candidate]) < 0) ?? names.at(-1)!;
  };
}

/** Rows that can be read several times. A generator is read once, and its rows are kept. */
function rereadable<E>(rows: AsyncIterable<E>): AsyncIterable<E> {
  const iterator = rows[Symbol.asyncIterator]();
  if (iterator !== (rows as unknown)) return rows;
  const read: E[] = [];
  let next: Promise<boolean> | undefined;
  const readNext = async (): Promise<boolean> => {
    const { done, value } = await iterator.next();
    if (done !== true) read.push(value);
    next = undefined;
    return done !== true;
  };
  return {
    async *[Symbol.asyncIterator]() {
      for (let index = 0; index < read.length || (await (next ??= readNext())); index += 1)
        yield read[index]!;
    },
  };
}
