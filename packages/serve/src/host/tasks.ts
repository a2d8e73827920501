import type { Environment } from "@envs/core";
import { examples, type KeyedExample, splitSizesOf } from "@envs/core/engine";

import { quote, ServeError } from "../errors.ts";

/** A split as trainers see it. A dataset without splits is one split, `train`. */
export interface ServedSplit {
  readonly name: string;
  /** `null` if the split is endless, or too long to count. */
  readonly size: number | null;
}

/** Selects an example. Default: the next one of the default split. */
export interface TaskQuery {
  readonly split?: string | undefined;
  readonly index?: number | undefined;
}

/** A reference to an example, which trainers receive and send back. It does not contain the answer. */
export interface Task {
  readonly split: string;
  readonly index: number;
  /** The example's key. */
  readonly id: string;
}

/** The position of an example in its dataset. */
export type TaskPosition = Pick<Task, "split" | "index">;

const trainSplit = "train";

/** The size that trainers see of a split whose size is `null`. So many examples can be read. */
export const assumedSplitSize = 100_000;

/** The maximum index into a split whose size is `null`. */
const maxExamples = 1_000_000;

/** The split for queries that do not name one: `train`, or the first. */
export function defaultSplit(splits: readonly ServedSplit[]): ServedSplit | undefined {
  return splits.find(({ name }) => name === trainSplit) ?? splits[0];
}

/** An environment's split. Throws a {@link ServeError} of code `unknown-split`. */
export function findSplit(
  environment: { readonly name: string; readonly splits: readonly ServedSplit[] },
  name: string | undefined,
): ServedSplit {
  const { splits } = environment;
  const split =
    name === undefined ? defaultSplit(splits) : splits.find((candidate) => candidate.name === name);
  if (split !== undefined) return split;
  const names = splits.map((candidate) => candidate.name).join(", ");
  throw new ServeError(
    "unknown-split",
    `${environment.name} has no split ${quote(name)}. Use one of: ${names}.`,
  );
}

/** Resolves queries to positions. Without an index, each query gets the next one. */
export class TaskPicker {
  readonly #environment: Parameters<typeof findSplit>[0];
  #next = 0;

  constructor(environment: Parameters<typeof findSplit>[0]) {
    this.#environment = environment;
  }

  pick({ split: name, index }: TaskQuery): TaskPosition {
    const split = findSplit(this.#environment, name);
    return { split: split.name, index: index ?? this.#next++ % (split.size ?? maxExamples) };
  }
}

interface SplitReader {
  readonly rows: KeyedExample[];
  readonly iterator: AsyncIterator<KeyedExample>;
  /** The read that is running. Reads of one split run one at a time. */
  reading: Promise<void>;
}

/** The examples of an environment by split and index. Reads rows on demand, and caches them. */
export class TaskTable {
  readonly #environment: Environment;
  readonly #seed: number;
  readonly #readers = new Map<string, SplitReader>();
  #hasSplits = false;
  splits: readonly ServedSplit[] = [];

  constructor(environment: Environment, seed: number) {
    this.#environment = environment;
    this.#seed = seed;
  }

  async load(): Promise<this> {
    const sizes = await splitSizesOf(this.#environment, assumedSplitSize);
    this.#hasSplits = sizes.some(({ name }) => name !== null);
    this.splits = sizes.map(({ name, size }) => ({ name: name ?? trainSplit, size }));
    return this;
  }

  async task({ split, index }: TaskPosition): Promise<Task> {
    const { key } = await this.example({ split, index });
    return { split, index, id: key };
  }

  /** Throws a {@link ServeError} of code `unknown-task`. */
  async example({ split, index }: TaskPosition): Promise<KeyedExample> {
    const size = this.splits.find(({ name }) => name === split)?.size ?? maxExamples;
    const outOfRange = (): ServeError =>
      new ServeError(
        "unknown-task",
        `The split ${split} of ${this.#environment.name} has no example ${index}. It has ${size} examples, counted from 0.`,
      );
    if (!(Number.isInteger(index) && index >= 0 && index < size)) throw outOfRange();
    const reader = this.#reader(split);
    while (reader.rows.length <= index) {
      const before = reader.rows.length;
      reader.reading = reader.reading.then(async () => {
        if (reader.rows.length > index) return;
        const { value, done } = await reader.iterator.next();
        if (done !== true) reader.rows.push(value);
      });
      await reader.reading;
      if (reader.rows.length === before) throw outOfRange();
    }
    return reader.rows[index]!;
  }

  #reader(split: string): SplitReader {
    let reader = this.#readers.get(split);
    if (reader === undefined) {
      const iterator = examples(
        this.#environment,
        this.#hasSplits ? { seed: this.#seed, split } : { seed: this.#seed },
      );
      reader = { rows: [], iterator, reading: Promise.resolve() };
      this.#readers.set(split, reader);
    }
    return reader;
  }
}
