import { ConfigError } from "./errors.ts";
import { contentHash, notJson } from "./json.ts";
import type { Message } from "./message.ts";
import type { Random } from "./random.ts";

/** One row of a dataset. It is JSON: everything a rollout needs to be played again. */
export interface Example {
  /** What the model is asked. Text is one user message. */
  readonly prompt: string | readonly Message[];
  /** A stable key, unique in the dataset. Left out, it is a hash of the content. */
  readonly id?: string;
}

/** Rows, read lazily. May be infinite. */
export type Rows<E> = Iterable<E> | AsyncIterable<E>;

/** Rows, or named splits of rows. */
export type Dataset<E> = Rows<E> | { readonly [split: string]: Rows<E> };

/** An example at its place in a run. */
export interface KeyedExample<E extends Example = Example> {
  readonly example: E;
  /** Position in the dataset, from 0. */
  readonly index: number;
  /** The example's `id` or content hash; the second of two equal rows gets `-2`, and so on. */
  readonly key: string;
}

/** The first `count` rows. */
export async function* take<E>(rows: Rows<E>, count: number): AsyncGenerator<E> {
  let left = count;
  if (left <= 0) return;
  for await (const row of rows) {
    yield row;
    left -= 1;
    if (left <= 0) return;
  }
}

/** Each row changed by `change`. */
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

/** The rows that `keep` says yes to. */
export async function* filter<E>(
  rows: Rows<E>,
  keep: (row: E) => boolean | Promise<boolean>,
): AsyncGenerator<E> {
  for await (const row of rows) if (await keep(row)) yield row;
}

/**
 * The rows in a random order. Rows leave a buffer of `buffer` rows at random, so infinite datasets work too:
 * a row comes at most `buffer` places early, and a finite dataset no longer than that is shuffled whole.
 */
export async function* shuffle<E>(
  rows: Rows<E>,
  random: Random,
  buffer = 10_000,
): AsyncGenerator<E> {
  const held: E[] = [];
  for await (const row of rows) {
    if (held.length < buffer) {
      held.push(row);
      continue;
    }
    const place = random.int(buffer);
    yield held[place]!;
    held[place] = row;
  }
  yield* random.shuffle(held);
}

/**
 * Divides finite rows into named splits by each row's content hash, so that a row stays in its split when others
 * come or go. `shares` are relative: `{ train: 9, eval: 1 }` gives about a tenth to `eval`.
 */
export function split<E, Name extends string>(
  rows: Iterable<E>,
  shares: Readonly<Record<Name, number>>,
): Readonly<Record<Name, readonly E[]>> {
  const names = Object.keys(shares) as Name[];
  const total = names.reduce((sum, name) => sum + shares[name], 0);
  if (!(total > 0 && total < Infinity) || names.some((name) => !(shares[name] >= 0)))
    throw new ConfigError("split() needs finite shares of at least 0 that are not all 0.");
  const parts = Object.fromEntries(names.map((name) => [name, [] as E[]])) as Record<Name, E[]>;
  for (const row of rows) {
    let place = (Number.parseInt(contentHash(row).slice(0, 12), 16) / 16 ** 12) * total;
    const name = names.find((candidate) => (place -= shares[candidate]) < 0) ?? names.at(-1)!;
    parts[name].push(row);
  }
  return parts;
}

/** Numbers and keys the rows, and refuses those that are not JSON or have no prompt. */
export async function* keyed<E extends Example>(rows: Rows<E>): AsyncGenerator<KeyedExample<E>> {
  const seen = new Map<string, number>();
  let index = 0;
  for await (const example of rows) {
    const problem = notJson(example);
    if (problem !== undefined)
      throw new ConfigError(`Example ${index} of the dataset is not JSON: ${problem}.`);
    if (typeof example.prompt !== "string" && !Array.isArray(example.prompt))
      throw new ConfigError(
        `Example ${index} of the dataset has no prompt. A prompt is text or a list of messages.`,
      );
    yield { example, index, key: unseen(example.id ?? contentHash(example), seen) };
    index += 1;
  }
}

/** A key that no row before has; rows may also be called `x-2` by themselves. */
function unseen(base: string, seen: Map<string, number>): string {
  let count = (seen.get(base) ?? 0) + 1;
  while (count > 1 && seen.has(`${base}-${count}`)) count += 1;
  const key = count === 1 ? base : `${base}-${count}`;
  seen.set(key, 1).set(base, count);
  return key;
}

/** Tells rows from named splits. */
export function isRows<E>(dataset: Dataset<E>): dataset is Rows<E> {
  return Symbol.iterator in dataset || Symbol.asyncIterator in dataset;
}
