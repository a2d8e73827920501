import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { clean, fit, widthOf, wrap } from "../../src/render/wrap.ts";

const text = fc.string({ unit: "binary", maxLength: 80 });
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
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(""));
const anything = fc.oneof(text, words).map(clean);
const columns = fc.integer({ min: 2, max: 60 });

describe("wrapped text", () => {
  test("has no line that is wider than asked", () => {
    fc.assert(
      fc.property(anything, columns, (value, most) => {
        for (const line of wrap(value, most)) expect(widthOf(line)).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("loses nothing but blanks and line breaks", () => {
    fc.assert(
      fc.property(anything, columns, (value, most) => {
        const essence = (whole: string): string => whole.replaceAll(/[ \n]/g, "");
        expect(essence(wrap(value, most).join(""))).toBe(essence(value));
      }),
    );
  });

  test("keeps lines that are short enough, with their indentation", () => {
    expect(wrap("  0 | X | 2\n\n  3 | 4", 20)).toEqual(["  0 | X | 2", "", "  3 | 4"]);
  });

  test("breaks at blanks where there are any", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrap("  abcdefghij", 6)).toEqual(["  abcd", "efghij"]);
  });

  test("is done at once for a million characters without a blank", () => {
    expect(wrap("x".repeat(1_000_000), 80)).toHaveLength(12_500);
  });
});

describe("clean text", () => {
  test("has no control characters but line breaks, and no signs that turn the direction", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(clean(value)).not.toMatch(/[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  test("shows escape sequences instead of obeying them", () => {
    expect(clean("a\u001B[2Jb\r\nc\td\u202Ee")).toBe("a␛[2Jb\nc    d\uFFFDe");
  });
});

describe("a text that does not fit", () => {
  test("is cut, with a sign that it was", () => {
    expect(fit("tictactoe", 5)).toBe("tict…");
    expect(fit("tic", 5)).toBe("tic");
    expect(fit("0 – ███████", 6)).toBe("0 – █…");
  });

  test("is never wider than asked, and whole if there is room", () => {
    fc.assert(
      fc.property(anything, columns, (value, most) => {
        const line = value.replaceAll("\n", " ");
        expect(widthOf(fit(line, most))).toBeLessThanOrEqual(most);
        expect(fit(line, widthOf(line))).toBe(line);
      }),
    );
  });

  test("keeps its colours", () => {
    const red = (text: string) => `\u001B[31m${text}\u001B[39m`;
    expect(fit(`${red("tic")}tactoe`, 5)).toBe(`${red("tic")}t…`);
  });
});
