import type { KeyedExample } from "@envs/core/engine";
import { expect, test } from "vitest";

import { parseSelection } from "../../src/selection/parse-selection.ts";

interface Numbers {
  readonly examples: AsyncIterable<KeyedExample>;
  readonly read: () => number;
}

/** Examples with the keys n0, n1, …; the number that was read. */
function numbers(size = Infinity): Numbers {
  let read = 0;
  async function* generate(): AsyncGenerator<KeyedExample> {
    for (let index = 0; index < size; index += 1) {
      read += 1;
      const tag = index === 0 ? 7 : "seven";
      const info = { isHard: index % 2 === 1 };
      const example = { prompt: `${index}`, level: index % 5, info, tag };
      yield { example, index, key: `n${index}` };
    }
  }
  return { examples: generate(), read: () => read };
}

async function indicesOf(text: string, { examples }: Numbers, limit = 50): Promise<number[]> {
  const indices: number[] = [];
  for await (const { index } of parseSelection(text).select(examples)) {
    indices.push(index);
    if (indices.length === limit) break;
  }
  return indices;
}

test.each([
  ["3", [3]],
  ["7,3", [3, 7]],
  ["3, 7, 10-12", [3, 7, 10, 11, 12]],
  ["key=n5", [5]],
  ["2,key=n5,key=n1", [1, 2, 5]],
])("selects the list %s from an endless dataset", async (text, expected) => {
  const dataset = numbers();
  expect(await indicesOf(text, dataset)).toEqual(expected);
  expect(dataset.read()).toBe(expected.at(-1)! + 1);
  expect(parseSelection(text).size).toBe(expected.length);
});

test.each([
  ["example.level >= 3", [3, 4, 8, 9]],
  ["index < 3 || key == n6", [0, 1, 2, 6]],
  ["example.info.isHard == true && example.level == 1", [1]],
  ["example.tag == '7'", [0]],
])("selects by the filter %s", async (text, expected) => {
  expect(await indicesOf(text, numbers(10))).toEqual(expected);
});

test("a filter selects the first matches of an endless dataset", async () => {
  const dataset = numbers();
  expect(await indicesOf("example.level == 4 && index > 200", dataset, 2)).toEqual([204, 209]);
  expect(dataset.read()).toBe(210);
});

test.each([
  ["12", /none of the 10 examples has the index 12/],
  ["3,key=abc", /none of the 10 examples has the key "abc"\. To see keys/],
  ["example.level > 99", /none of the 10 examples matches example\.level > 99/],
  ["example.lvel > 3", /Unknown field example\.lvel\. Did you mean example\.level\?/],
])("rejects %s, which matches nothing", async (text, message) => {
  await expect(indicesOf(text, numbers(10))).rejects.toThrow(message);
});

test("stops the search for a key in an endless dataset", async () => {
  await expect(indicesOf("key=abc", numbers())).rejects.toThrow(
    /none of the 100001 examples has the key "abc"\. The search ends after 100000 .* --select key=…,250000/,
  );
});

test("rejects a range whose first index is higher", () => {
  expect(() => parseSelection("20-10")).toThrow("Write the lower index first");
});

/** Examples that can be read from any position. */
function seekable(size: number) {
  const read: number[] = [];
  async function* from(start: number): AsyncGenerator<KeyedExample> {
    for (let index = start; index < size; index += 1) {
      read.push(index);
      yield { example: { prompt: `${index}` }, index, key: `n${index}` };
    }
  }
  return { examples: { [Symbol.asyncIterator]: () => from(0), from }, read };
}

test("skips the examples before a position, and between positions that are far apart", async () => {
  const { examples, read } = seekable(1_000_000);
  const text = "999990-999992,7,9";
  const indices: number[] = [];
  for await (const { index } of parseSelection(text).select(examples)) indices.push(index);
  expect(indices).toEqual([7, 9, 999_990, 999_991, 999_992]);
  expect(read).toEqual([7, 8, 9, 999_990, 999_991, 999_992]);
});

test("searches all of a dataset that ends for a key", async () => {
  const selected = parseSelection("key=n100500").select(seekable(100_501).examples);
  expect((await Array.fromAsync(selected)).map(({ index }) => index)).toEqual([100_500]);
});

test("rejects a position after the last example", async () => {
  const selected = parseSelection("3,5000").select(seekable(100).examples);
  await expect(Array.fromAsync(selected)).rejects.toThrow("no example has the index 5000");
});
