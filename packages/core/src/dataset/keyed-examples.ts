import { ConfigError } from "../errors.ts";
import { contentHash, deepCopy, jsonProblem } from "../json.ts";
import { type MediaLimits, messagesProblem, textOnly } from "../message/check-content.ts";
import type { Example, KeyedExample, Rows } from "./example.ts";
import { TextNumbers } from "./text-numbers.ts";

/**
 * Adds positions, from `start`, and keys to rows. Throws a `ConfigError` for a row that is not JSON, has no prompt or a message with content
 * that is not valid, or has an `id` that is not a string or that an earlier row has.
 */
export async function* withKeys<E extends Example>(
  rows: Rows<E>,
  limits: MediaLimits = textOnly,
  keys: ExampleKeys = new ExampleKeys(),
  start: number = 0,
): AsyncGenerator<KeyedExample<E>> {
  let index = start;
  for await (const row of rows) {
    const problem = jsonProblem(row);
    if (problem !== undefined)
      throw new ConfigError(`Example ${index} of the dataset is not JSON: ${problem}.`);
    // Rollouts are recorded with this copy, whatever the author's code does to the row afterwards.
    const example = deepCopy(row);
    if (typeof example.prompt !== "string" && !Array.isArray(example.prompt))
      throw new ConfigError(
        `Example ${index} of the dataset has no prompt. A prompt is text or a list of messages.`,
      );
    const invalid =
      typeof example.prompt === "string" ? undefined : messagesProblem(example.prompt, limits);
    if (invalid !== undefined)
      throw new ConfigError(
        `The prompt of example ${index} of the dataset is not valid: ${invalid}.`,
      );
    yield { example, index, key: keys.keyOf(example, index) };
    index += 1;
  }
}

/** Throws a `ConfigError` for an `id` of a finite dataset that is not valid, before any of its examples is played. */
export function checkIds(rows: readonly Example[]): void {
  const keys = new ExampleKeys();
  for (const [index, row] of rows.entries()) keys.addId(row?.id, index);
}

/** Gives each example of a dataset a key that no earlier example has. */
export class ExampleKeys {
  /** For an id its position, from 1; for another key the number of examples with that base, as a negative number. */
  readonly #numbers = new TextNumbers();
  readonly #remembered: number;

  /** `remembered`: the maximum number of remembered keys, which bounds the memory for an infinite dataset. */
  constructor(remembered: number = 2 ** 19) {
    this.#remembered = remembered;
  }

  keyOf(example: Example, index: number): string {
    const isFull = this.#numbers.size >= this.#remembered;
    const earlier = this.addId(example.id, index);
    const base = example.id ?? contentHash(example);
    // Unique without a lookup: the numbers of earlier keys are smaller, because each earlier example adds at most 1.
    if (isFull) return example.id ?? `${base}-${index + 1}`;
    const repeated = earlier ?? this.#numbers.get(base);
    let count = repeated > 0 ? 2 : 1 - repeated;
    while (count > 1 && this.#numbers.get(`${base}-${count}`) !== 0) count += 1;
    const key = count === 1 ? base : `${base}-${count}`;
    if (example.id === undefined && repeated <= 0) this.#numbers.set(base, -count);
    if (count > 1) this.#numbers.set(key, -1);
    return key;
  }

  /** Remembers the position of an id. Returns the number of the key that equals it, and `undefined` without an id. */
  addId(id: unknown, index: number): number | undefined {
    if (id === undefined) return undefined;
    if (typeof id !== "string" || id === "")
      throw new ConfigError(
        `Example ${index} of the dataset has the id ${JSON.stringify(id)}. An id is a string that is not empty: write String(id), or omit the id.`,
      );
    const earlier = this.#numbers.get(id);
    if (earlier > 0)
      throw new ConfigError(
        `Examples ${earlier - 1} and ${index} of the dataset have the same id ${JSON.stringify(id)}. Rename one of them, or omit the ids.`,
      );
    if (this.#numbers.size < this.#remembered) this.#numbers.set(id, index + 1);
    return earlier;
  }
}
