import { ConfigError, type Environment } from "@envs/core";
import { canonicalJson, examples, type KeyedExample } from "@envs/core/engine";

import type { DatasetQuery, ExampleReference } from "./methods.ts";

/** The maximum number of examples that are read: an endless dataset would fill the memory. */
const maxIndex = 100_000;
/** The maximum distance by which an example may have moved back. */
const maxDistance = 1000;

/** Reads a dataset forward, once, and remembers its examples. */
class ExampleReader {
  readonly #rows: AsyncGenerator<KeyedExample>;
  readonly #read: KeyedExample[] = [];
  #isAtEnd = false;

  constructor(environment: Environment, { seed, split, shuffle }: DatasetQuery) {
    this.#rows = examples(environment, { seed, split, shuffle });
  }

  /** The example at an index; `undefined` after the end. */
  async at(index: number): Promise<KeyedExample | undefined> {
    if (index >= maxIndex)
      throw new ConfigError(
        `A bundle reads the first ${maxIndex} examples of a dataset, and ${index} is not one of them.`,
      );
    while (!this.#isAtEnd && this.#read.length <= index) {
      const next = await this.#rows.next();
      if (next.done === true) this.#isAtEnd = true;
      else this.#read.push(next.value);
    }
    return this.#read[index];
  }

  /** Finds the example with a key near an index: at it, before it or a little after it; else returns the one at the index. */
  async near(index: number, key: string): Promise<KeyedExample | undefined> {
    const found = await this.at(index);
    if (found?.key === key) return found;
    const last = Math.min(index + maxDistance, maxIndex - 1);
    await this.at(last);
    return this.#read.slice(0, last + 1).find((example) => example.key === key) ?? found;
  }
}

/** Reads the datasets of an environment. Keeps the dataset that was read last. */
export class ExampleReaders {
  #key = "";
  #reader: ExampleReader | undefined;

  /** `environment` has the config of the query. */
  of(environment: Environment, query: DatasetQuery): ExampleReader {
    const { config } = environment;
    const { seed, split, shuffle } = query;
    const key = canonicalJson([config, seed, split, shuffle]);
    if (this.#reader === undefined || key !== this.#key)
      this.#reader = new ExampleReader(environment, query);
    this.#key = key;
    return this.#reader;
  }

  /** Finds an example. Throws a `ConfigError` if it does not exist or has another key. */
  async find(
    environment: Environment,
    query: DatasetQuery,
    reference: ExampleReference,
  ): Promise<KeyedExample> {
    const { index, key, isMovable = false } = reference;
    if (!Number.isSafeInteger(index) || index < 0)
      throw new ConfigError(`The index of an example is a whole number from 0, not ${index}.`);
    const reader = this.of(environment, query);
    const found =
      isMovable && key !== undefined ? await reader.near(index, key) : await reader.at(index);
    if (found === undefined)
      throw new ConfigError(`The dataset has no example ${index}: it has fewer examples.`);
    if (key === undefined || key === found.key) return found;
    throw new ConfigError(
      `Example ${index} of the dataset has the key ${found.key}, not ${key}. The config, the seed or the version of the environment is not the same.`,
    );
  }
}
