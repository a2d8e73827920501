import { ConfigError } from "../errors.ts";
import { contentHash, deepCopy, jsonProblem } from "../json.ts";
import { type MediaLimits, messagesProblem, textOnly } from "../message/check-content.ts";
import type { Example, KeyedExample, Rows } from "./example.ts";

/** The maximum number of remembered keys, which bounds the memory for an infinite dataset. */
const maxRemembered = 2 ** 20;

/**
 * Adds positions and keys to rows. Throws a `ConfigError` for a row that is not JSON, has no prompt or a message with content
 * that is not valid, or has an `id` that is not a string or that an earlier row has.
 */
export async function* withKeys<E extends Example>(
  rows: Rows<E>,
  limits: MediaLimits = textOnly,
  remembered: number = maxRemembered,
): AsyncGenerator<KeyedExample<E>> {
  const keys = new ExampleKeys(remembered);
  let index = 0;
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
  const ids = new ExampleIds();
  for (const [index, row] of rows.entries()) ids.check(row?.id, index);
}

/** Gives each example of a dataset a key that no earlier example has. */
class ExampleKeys {
  readonly #ids = new ExampleIds();
  /** The number of examples with the same base of their keys. */
  readonly #counts = new Map<string, number>();
  readonly #remembered: number;

  constructor(remembered: number) {
    this.#remembered = remembered;
  }

  keyOf(example: Example, index: number): string {
    this.#ids.check(example.id, index, this.#remembered);
    const base = example.id ?? contentHash(example);
    // Unique without a lookup: the numbers of earlier keys are smaller, because each earlier example adds at most 1.
    if (this.#counts.size >= this.#remembered) return example.id ?? `${base}-${index + 1}`;
    let count = (this.#counts.get(base) ?? 0) + 1;
    while (count > 1 && this.#counts.has(`${base}-${count}`)) count += 1;
    const key = count === 1 ? base : `${base}-${count}`;
    this.#counts.set(key, 1).set(base, count);
    return key;
  }
}

class ExampleIds {
  readonly #positions = new Map<string, number>();

  check(id: unknown, index: number, remembered = maxRemembered): void {
    if (id === undefined) return;
    if (typeof id !== "string" || id === "")
      throw new ConfigError(
        `Example ${index} of the dataset has the id ${JSON.stringify(id)}. An id is a string that is not empty: write String(id), or omit the id.`,
      );
    const other = this.#positions.get(id);
    if (other !== undefined)
      throw new ConfigError(
        `Examples ${other} and ${index} of the dataset have the same id ${JSON.stringify(id)}. Rename one of them, or omit the ids.`,
      );
    if (this.#positions.size < remembered) this.#positions.set(id, index);
  }
}
