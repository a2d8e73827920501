import { ConfigError } from "@envs/core";
import type { ExampleSource, KeyedExample } from "@envs/core/engine";

import { parseWhere } from "../where/where.ts";
import { exampleFields, fieldsOfExamples } from "./example-fields.ts";

/** The examples that `--select` names. */
export interface ExampleSelection {
  /** The number of examples in a list of indices and keys; `undefined` for a filter. */
  readonly size: number | undefined;
  /** Yields the selected examples, in the order of the dataset. Stops after the last example of a list. */
  readonly select: (examples: ExampleSource) => AsyncGenerator<KeyedExample>;
}

/** Converts the text of `--select` to the option `select` of a run. */
export function selectOf(text: string | undefined): ExampleSelection["select"] | undefined {
  return text === undefined ? undefined : parseSelection(text).select;
}

/** The maximum number of examples in a row without a match before the search ends: a dataset may be endless. */
const maxMisses = 100_000;

/** Parses indices, ranges and keys such as `3,10-20,key=abc`, or a filter such as `example.level >= 3`. */
export function parseSelection(text: string): ExampleSelection {
  const terms = text.split(",").map((term) => term.trim());
  const isList = terms.every((term) => /^(?:\d+(?:\s*-\s*\d+)?|key=.+)$/s.test(term));
  if (!isList) return { size: undefined, select: (examples) => matching(text, examples) };
  const keys = new Set<string>();
  const indices = new Set<number>();
  for (const term of terms) {
    const key = /^key=(.+)$/s.exec(term)?.[1];
    if (key === undefined) for (const index of range(term)) indices.add(index);
    else keys.add(key);
  }
  return {
    size: keys.size + indices.size,
    select: (examples) => listed({ keys, indices }, examples),
  };
}

function* range(term: string): Generator<number> {
  const [first = 0, last = first] = term.split("-").map(Number);
  if (last < first || last - first >= maxMisses)
    throw new ConfigError(
      `--select has the range ${term}. Write the lower index first, and at most ${maxMisses} examples: 10-20`,
    );
  for (let index = first; index <= last; index += 1) yield index;
}

interface List {
  readonly keys: ReadonlySet<string>;
  readonly indices: ReadonlySet<number>;
}

async function* listed(
  { keys, indices }: List,
  examples: ExampleSource,
): AsyncGenerator<KeyedExample> {
  const missing = { keys: new Set(keys), indices: new Set(indices) };
  const limit = maxMissesIn(examples);
  // A key may number equal rows, so its search reads all of them.
  const from = keys.size === 0 ? examples.from : undefined;
  let [count, misses] = [0, 0];
  for await (const example of from === undefined ? examples : atPositions(indices, from)) {
    count += 1;
    const isIndexed = missing.indices.delete(example.index);
    if (missing.keys.delete(example.key) || isIndexed) {
      misses = 0;
      yield example;
    } else if ((misses += 1) > limit && missing.indices.size === 0) break;
    if (missing.keys.size + missing.indices.size === 0) return;
  }
  const names = [...missing.keys].map((key) => `the key ${JSON.stringify(key)}`);
  names.push(...[...missing.indices].map((index) => `the index ${index}`));
  const listed = `${names.slice(0, 5).join(" or ")}${names.length > 5 ? ` (and ${names.length - 5} more)` : ""}`;
  const which = from === undefined ? `none of the ${count} examples` : "no example";
  throw new ConfigError(
    `--select: ${which} has ${listed}. ${misses > limit ? `${endless}. To search further, add the position of a later example: --select key=…,250000. ` : ""}${keys.size > 0 ? "To see keys: envs view. " : ""}Check --split, --seed and the config, which determine the dataset.`,
  );
}

/** The number of examples without a match after which a search ends. Rows that can be read from any position do end. */
function maxMissesIn({ from }: ExampleSource): number {
  return from === undefined ? maxMisses : Infinity;
}

const endless = `The search ends after ${maxMisses} examples without a match, because the dataset may be endless`;

/** The greatest distance of two positions at which the examples between them are read. */
const maxGap = 1000;

/** Yields the examples at positions, and skips those between positions that are far from each other. */
async function* atPositions(
  indices: ReadonlySet<number>,
  from: (index: number) => AsyncIterable<KeyedExample>,
): AsyncGenerator<KeyedExample> {
  const positions = [...indices].toSorted((a, b) => b - a);
  for (let isFound = true; isFound && positions.length > 0;) {
    isFound = false;
    for await (const example of from(positions.at(-1)!)) {
      if (example.index !== positions.at(-1)) continue;
      yield example;
      isFound = true;
      positions.pop();
      if (positions.length === 0 || positions.at(-1)! - example.index > maxGap) break;
    }
  }
}

/** The number of examples whose fields a filter may use. */
const sampleSize = 100;

async function* matching(source: string, examples: ExampleSource): AsyncGenerator<KeyedExample> {
  const sample: KeyedExample[] = [];
  let matches: ((example: KeyedExample) => boolean) | undefined;
  const limit = maxMissesIn(examples);
  let [count, misses, matched] = [0, 0, 0];
  const compile = (): typeof matches => {
    const fields = fieldsOfExamples(sample);
    const predicate = parseWhere(source, fields);
    return (example) => predicate(exampleFields(example, fields));
  };
  for await (const example of withEnd(examples)) {
    if (example !== undefined) {
      count += 1;
      sample.push(example);
      if (matches === undefined && sample.length < sampleSize) continue;
    }
    matches ??= compile()!;
    for (const candidate of sample.splice(0)) {
      misses += 1;
      if (!matches(candidate)) continue;
      misses = 0;
      matched += 1;
      yield candidate;
    }
    if (misses > limit) break;
  }
  if (matched === 0 && count > 0)
    throw new ConfigError(
      `--select: none of the ${count} examples matches ${source}.${misses > limit ? ` ${endless}.` : ""}`,
    );
}

/** Yields `undefined` after the last example. */
async function* withEnd<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item | undefined> {
  yield* items;
  yield undefined;
}
