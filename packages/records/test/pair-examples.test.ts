import { pairExamples } from "@envs/records";
import { expect, test } from "vitest";

const result = (exampleKey: string, mean: number, content?: string | null) => ({
  exampleKey,
  exampleIndex: 0,
  mean,
  content,
});

test("pairs examples with one key only if their contents are equal", () => {
  const before = [result("sum-1", 0, "a"), result("sum-2", 0, "b")];
  const after = [result("sum-1", 1, "other"), result("sum-2", 1, "b")];
  const paired = pairExamples(before, after);
  expect(paired.examples.map(({ exampleKey }) => exampleKey)).toEqual(["sum-2"]);
  expect(paired.unpaired).toBe(1);
});

test("pairs examples whose content is unknown by their keys", () => {
  const paired = pairExamples([result("sum-1", 0, null)], [result("sum-1", 1, "a")]);
  expect(paired).toMatchObject({ better: 1, unpaired: 0 });
});
