import type { Message } from "../message/message.ts";

/** One row of a dataset, as JSON: records store it, and a rollout can be replayed from it. */
export interface Example {
  /** The messages that the model answers. Text is one user message. */
  readonly prompt: string | readonly Message[];
  /** A stable key, unique in the dataset. Default: a hash of the content. */
  readonly id?: string;
}

/**
 * Rows, which are read lazily and may be infinite. If an object of rows has their number, or `Infinity`, as its `size`, nothing reads
 * them only to count them: useful for rows that must be downloaded or drawn. If its method `from(index)` returns the rows from a position on, a run of
 * some positions does not read those between.
 */
export type Rows<E> = Iterable<E> | AsyncIterable<E>;

/** Rows, or named splits of rows. */
export type Dataset<E> = Rows<E> | { readonly [split: string]: Rows<E> };

/** An example with its position and key. */
export interface KeyedExample<E extends Example = Example> {
  readonly example: E;
  /** Position in the dataset, from 0. */
  readonly index: number;
  /**
   * The example's `id` or content hash. Repetitions get the suffix `-2`, `-3`, and so on; after the first 500,000, each example
   * without an `id` gets its position as a suffix.
   */
  readonly key: string;
}

/** The examples of a dataset in their order. */
export interface ExampleSource extends AsyncIterable<KeyedExample> {
  /** Yields those from a position on; their keys number equal rows among those that were read. Absent if rows cannot be skipped. */
  readonly from?: ((index: number) => AsyncIterable<KeyedExample>) | undefined;
}

/** Chooses some of the examples, in their order. May stop early, also in an infinite dataset. */
export type SelectExamples = (examples: ExampleSource) => AsyncIterable<KeyedExample>;

/** Whether a dataset has rows, not named splits. */
export function isRows<E>(dataset: Dataset<E>): dataset is Rows<E> {
  return Symbol.iterator in dataset || Symbol.asyncIterator in dataset;
}

/** The number of rows, if it is known before they are read. */
export function knownSize(rows: Rows<unknown>): number | undefined {
  if (Array.isArray(rows)) return rows.length;
  const { size } = rows as { readonly size?: unknown };
  return typeof size === "number" ? size : undefined;
}
