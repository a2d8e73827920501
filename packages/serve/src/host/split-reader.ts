import { setImmediate as nextRound } from "node:timers/promises";

import type { KeyedExample } from "@envs/core/engine";

/** The number of recently read rows that stay in memory, besides the first rows. */
const maxRecentRows = 4096;

/** The number of rows that are read before other work of the process runs. */
const batchSize = 256;

/**
 * The rows of one split by index. Keeps the first rows in memory, and the latest ones. Others are read again, from the
 * start.
 */
export class SplitReader {
  readonly #read: () => AsyncIterator<KeyedExample>;
  readonly #maxFirstRows: number;
  readonly #firstRows: KeyedExample[] = [];
  readonly #recentRows = new Map<number, KeyedExample>();
  #iterator: AsyncIterator<KeyedExample> | undefined;
  /** The index of the iterator's next row. */
  #position = 0;
  /** Reads run one at a time. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(read: () => AsyncIterator<KeyedExample>, maxFirstRows: number) {
    this.#read = read;
    this.#maxFirstRows = maxFirstRows;
  }

  /** Whether a row is in memory. */
  has(index: number): boolean {
    return this.#cached(index) !== undefined;
  }

  /** Returns a row; `undefined` if the split ends before it. */
  async row(index: number): Promise<KeyedExample | undefined> {
    const row = this.#cached(index);
    if (row !== undefined) return row;
    const reading = this.#reading.then(() => this.#cached(index) ?? this.#readTo(index));
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  #cached(index: number): KeyedExample | undefined {
    return this.#firstRows[index] ?? this.#recentRows.get(index);
  }

  async #readTo(index: number): Promise<KeyedExample | undefined> {
    if (this.#iterator === undefined || index < this.#position) {
      await this.#iterator?.return?.();
      this.#iterator = this.#read();
      this.#position = 0;
    }
    for (;;) {
      const { value: row, done } = await this.#next(this.#iterator);
      if (done === true) return undefined;
      this.#keep(row);
      if (row.index === index) return row;
      if (this.#position % batchSize === 0) await nextRound();
    }
  }

  async #next(iterator: AsyncIterator<KeyedExample>): Promise<IteratorResult<KeyedExample>> {
    // Drops the iterator while it reads: after an error or its end, it has no more rows.
    this.#iterator = undefined;
    const result = await iterator.next();
    if (result.done !== true) this.#iterator = iterator;
    return result;
  }

  #keep(row: KeyedExample): void {
    this.#position = row.index + 1;
    if (row.index < this.#maxFirstRows) {
      this.#firstRows[row.index] ??= row;
      return;
    }
    this.#recentRows.set(row.index, row);
    if (this.#recentRows.size > maxRecentRows)
      this.#recentRows.delete(this.#recentRows.keys().next().value!);
  }
}
