import type { Environment } from "@envs/core";
import { examples, type KeyedExample, splitSizesOf } from "@envs/core/engine";

import { ServeError } from "../failure.ts";
import { quoted } from "../quoted.ts";

/** A split as trainers see it. A dataset that is not divided is one split, `train`. */
export interface ServedSplit {
  readonly name: string;
  /** `null`: endless, or too many to be counted. */
  readonly size: number | null;
}

/** Which example is asked for. Nothing at all: the next one of the default split. */
export interface TaskQuery {
  readonly split?: string | undefined;
  readonly index?: number | undefined;
}

/** An example by its place: what travels to trainers and back. Answers stay here. */
export interface Task {
  readonly split: string;
  readonly index: number;
  /** The example's key. */
  readonly id: string;
}

/** The place of an example. */
export type Place = Pick<Task, "split" | "index">;

const undivided = "train";
const mostRows = 1_000_000;

/** Gives out places: those that are asked for, and the next one where none is. */
export class TaskOrder {
  readonly #name: string;
  readonly #splits: readonly ServedSplit[];
  #next = 0;

  constructor(environment: { readonly name: string; readonly splits: readonly ServedSplit[] }) {
    this.#name = environment.name;
    this.#splits = environment.splits;
  }

  place({ split: name, index }: TaskQuery): Place {
    const split = this.#split(name);
    return { split: split.name, index: index ?? this.#next++ % (split.size ?? mostRows) };
  }

  #split(name: string | undefined): ServedSplit {
    const splits = this.#splits;
    const found =
      name === undefined
        ? (splits.find((each) => each.name === undivided) ?? splits[0])
        : splits.find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new ServeError(
      "unknown-split",
      `${this.#name} has no split ${quoted(name)}. It has: ${splits.map((each) => each.name).join(", ")}.`,
    );
  }
}

interface Reader {
  readonly rows: KeyedExample[];
  readonly rest: AsyncIterator<KeyedExample>;
  /** The read that is under way: readers take turns. */
  reading: Promise<void>;
}

/** The examples of an environment by split and index. Rows are read when asked for, and kept. */
export class TaskTable {
  readonly #environment: Environment;
  readonly #seed: number;
  readonly #readers = new Map<string, Reader>();
  #isDivided = false;
  splits: readonly ServedSplit[] = [];

  constructor(environment: Environment, seed: number) {
    this.#environment = environment;
    this.#seed = seed;
  }

  async load(): Promise<this> {
    const sizes = await splitSizesOf(this.#environment, 100_000);
    this.#isDivided = sizes.some(({ name }) => name !== null);
    this.splits = sizes.map(({ name, size }) => ({ name: name ?? undivided, size }));
    return this;
  }

  /** The example at a place, as it is told to trainers. */
  async find(place: Place): Promise<Task> {
    const { key } = await this.example(place);
    return { split: place.split, index: place.index, id: key };
  }

  async example({ split, index }: Place): Promise<KeyedExample> {
    const size = this.splits.find(({ name }) => name === split)?.size ?? null;
    const outside = (): ServeError =>
      new ServeError(
        "unknown-task",
        `The split ${split} of ${this.#environment.name} has no example ${index}. It has ${size ?? mostRows}, from 0.`,
      );
    if (!(Number.isInteger(index) && index >= 0 && index < (size ?? mostRows))) throw outside();
    const reader = this.#reader(split);
    while (reader.rows.length <= index) {
      const before = reader.rows.length;
      reader.reading = reader.reading.then(async () => {
        if (reader.rows.length > index) return;
        const { value, done } = await reader.rest.next();
        if (done !== true) reader.rows.push(value);
      });
      await reader.reading;
      if (reader.rows.length === before) throw outside();
    }
    return reader.rows[index]!;
  }

  #reader(split: string): Reader {
    let reader = this.#readers.get(split);
    if (reader === undefined) {
      const rest = examples(this.#environment, {
        seed: this.#seed,
        ...(this.#isDivided ? { split } : {}),
      });
      reader = { rows: [], rest, reading: Promise.resolve() };
      this.#readers.set(split, reader);
    }
    return reader;
  }
}
