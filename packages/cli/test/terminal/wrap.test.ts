import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { clean } from "../../src/terminal/text.ts";
import { truncate, widthOf, wrap } from "../../src/terminal/wrap.ts";

const words = fc
  .array(
    fc.constantFrom(
      "a",
      "bb",
      "Wörter",
      "漢字",
      "🎲",
      "–",
      "███",
      "жук",
      "é\u0301",
      "👩‍👩‍👧",
      " ",
      "  ",
      "\n",
      "x".repeat(30),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));
const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), words).map(clean);
const anyColumns = fc.integer({ min: 2, max: 60 });

describe("wrap", () => {
  test("returns no line that is wider than the columns", () => {
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        for (const line of wrap(text, columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test("loses only whitespace", () => {
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        const essence = (whole: string): string => whole.normalize().replaceAll(/\s/g, "");
        expect(essence(wrap(text, columns).join(""))).toBe(essence(text));
      }),
    );
  });

  test("keeps short lines with their indentation", () => {
    expect(wrap("  0 | X | 2\n\n  3 | 4", 20)).toEqual(["  0 | X | 2", "", "  3 | 4"]);
  });

  test("breaks at spaces where possible", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrap("  abcdefghij", 6)).toEqual(["  abcd", "efghij"]);
  });

  test("wraps a million characters without a space", () => {
    expect(wrap("x".repeat(1_000_000), 80)).toHaveLength(12_500);
  });
});

describe("truncate", () => {
  test("ends a line that is too wide with an ellipsis", () => {
    expect(truncate("tictactoe", 5)).toBe("tict…");
    expect(truncate("tic", 5)).toBe("tic");
    expect(truncate("0 – ███████", 6)).toBe("0 – █…");
  });

  test("returns at most the columns, and a line that fits unchanged", () => {
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        const line = text.replaceAll("\n", " ");
        expect(widthOf(truncate(line, columns))).toBeLessThanOrEqual(columns);
        expect(truncate(line, widthOf(line))).toBe(line);
      }),
    );
  });

  test("keeps colours and closes them", () => {
    const red = (text: string) => `\u001B[31m${text}\u001B[39m`;
    expect(truncate(`${red("tic")}tactoe`, 5)).toBe(`${red("tic")}t…`);
    expect(truncate(red("tictactoe"), 5)).toBe(`${red("tict")}…`);
  });
});
