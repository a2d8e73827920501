import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { ExampleKeys } from "../../src/dataset/keyed-examples.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function memory(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test("remembers 200,000 keys in less than 10 MB, and notices an id among them", () => {
  const keys = new ExampleKeys();
  const before = memory();
  for (let index = 0; index < 200_000; index += 1)
    keys.keyOf({ prompt: "x", id: `example number ${index}` }, index);
  expect(memory() - before).toBeLessThan(10_000_000);
  expect(() => keys.keyOf({ prompt: "x", id: "example number 7" }, 200_000)).toThrow(
    'Examples 7 and 200000 of the dataset have the same id "example number 7"',
  );
});
