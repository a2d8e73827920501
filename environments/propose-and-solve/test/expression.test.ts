import fc from "fast-check";
import { expect, test } from "vitest";

import { parseExpression, valueOf, writeExpression } from "../src/expression.ts";

test.each([
  ["7", 7],
  ["2 + 3 * 4", 14],
  ["2 * 3 - 4 * 5 + 1", -13],
  ["10-2-3", 5],
  ["2*3*4", 24],
])("computes %s", (text, value) => {
  expect(valueOf(parseExpression(text)!)).toBe(value);
});

test.each(["", "7 +", "+ 7", "7 / 2", "(1 + 2)", "1 2", "1.5 + 1", "1234", "-3 + 1", "1 + + 2"])(
  "rejects %j",
  (text) => {
    expect(parseExpression(text)).toBeUndefined();
  },
);

test("reads what it writes, with the value that JavaScript computes", () => {
  const number = fc.integer({ min: 0, max: 999 });
  const rest = fc.array(fc.tuple(fc.constantFrom("+", "-", "*"), number), { maxLength: 6 });
  fc.assert(
    fc.property(number, rest, (first, others) => {
      const text = [first, ...others.flat()].join(" ");
      const expression = parseExpression(text)!;
      expect(writeExpression(expression)).toBe(text);
      // oxlint-disable-next-line no-eval -- another implementation of arithmetic
      expect(valueOf(expression)).toBe((0, eval)(text));
    }),
  );
});
