import type { Environment } from "@envs/core";
import { examples, type KeyedExample, splitSizesOf } from "@envs/core/engine";

import { quote, ServeError } from "../errors.ts";
import { SplitReader } from "./split-reader.ts";

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

/** Splits are counted up to this size. Larger ones, unless they are arrays, are served like endless ones. */
const maxCountedSize = 100_000;

/**
 * The size that trainers see for a split with the size `null`. Its first examples stay in memory and can be selected in any
 * order; later ones are only read in sequence.
 */
export const assumedSplitSize = 10_000;

/** The number of examples of an endless split after which reading starts again at the first. */
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

/** The examples of an environment by split and index. */
export class TaskTable {
  readonly #environment: Environment;
  readonly #seed: number;
  readonly #readers = new Map<string, SplitReader>();
  #count = 0;
  hasSplits = false;
  splits: readonly ServedSplit[] = [];

  constructor(environment: Environment, seed: number) {
    this.#environment = environment;
    this.#seed = seed;
  }

  /** Counts the splits, unless another process has counted them. */
  async load(counted?: Pick<TaskTable, "splits" | "hasSplits">): Promise<this> {
    if (counted !== undefined) {
      this.hasSplits = counted.hasSplits;
      this.splits = counted.splits;
      return this;
    }
    const sizes = await splitSizesOf(this.#environment, maxCountedSize);
    this.hasSplits = sizes.some(({ name }) => name !== null);
    this.splits = sizes.map(({ name, size }) => ({ name: name ?? trainSplit, size }));
    return this;
  }

  /**
   * Selects an example. Without an index, each query gets the next one, or the one after `count` others. Throws a
   * {@link ServeError}.
   */
  async task({ split: name, index: requested }: TaskQuery, count?: number): Promise<Task> {
    const { name: environmentName } = this.#environment;
    const split = findSplit({ name: environmentName, splits: this.splits }, name);
    const reader = this.#reader(split);
    if (requested !== undefined) this.#checkIndex(split, requested, reader);
    const index = requested ?? (count ?? this.#nextCount()) % (split.size ?? maxExamples);
    const { key } = await this.example({ split: split.name, index });
    return { split: split.name, index, id: key };
  }

  /** Throws a {@link ServeError} of code `unknown-task`. */
  async example({ split: name, index }: TaskPosition): Promise<KeyedExample> {
    const split = findSplit({ name: this.#environment.name, splits: this.splits }, name);
    const row = await this.#reader(split).row(index);
    if (row !== undefined) return row;
    throw this.#outOfRange(split, index);
  }

  #nextCount(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  #checkIndex(split: ServedSplit, index: number, reader: SplitReader): void {
    if (!(Number.isSafeInteger(index) && index >= 0 && index < (split.size ?? maxExamples)))
      throw this.#outOfRange(split, index);
    if (split.size !== null || index < assumedSplitSize || reader.has(index)) return;
    throw new ServeError(
      "unknown-task",
      `Example ${index} of the split ${split.name} of ${this.#environment.name} cannot be selected, because the split is endless. Select one of the first ${assumedSplitSize}, or reset without an index to get the next one.`,
    );
  }

  #outOfRange({ name, size }: ServedSplit, index: number): ServeError {
    return new ServeError(
      "unknown-task",
      `The split ${name} of ${this.#environment.name} has no example ${index}. It has ${size ?? maxExamples} examples, counted from 0.`,
    );
  }

  #reader({ name, size }: ServedSplit): SplitReader {
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      const options = this.hasSplits ? { seed: this.#seed, split: name } : { seed: this.#seed };
      reader = new SplitReader(
        () => examples(this.#environment, options),
        size ?? assumedSplitSize,
      );
      this.#readers.set(name, reader);
    }
    return reader;
  }
}
