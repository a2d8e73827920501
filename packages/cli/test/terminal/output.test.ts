import { expect, test } from "vitest";

import { formatTable } from "../../src/terminal/output.ts";

test("formatTable aligns figures to the right of the first column", () => {
  const rows = [
    ["", "mean", "n"],
    ["reward", "0.5", "12"],
  ];
  expect(formatTable(rows)).toBe("        mean   n\nreward   0.5  12");
});

test("formatTable aligns text to the left and drops trailing spaces", () => {
  const rows = [
    ["漢字", "\u001B[1mbold\u001B[22m", "x"],
    ["a", "b", ""],
  ];
  expect(formatTable(rows, "text")).toBe("漢字  \u001B[1mbold\u001B[22m  x\na     b");
});

test("formatTable returns an empty string without rows", () => {
  expect(formatTable([])).toBe("");
});
