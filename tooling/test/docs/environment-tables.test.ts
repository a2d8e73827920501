import { expect, test } from "vitest";

import { environmentTables } from "../../src/docs/environment-tables.ts";

const description = {
  config: [
    { name: "examples", type: "whole number ≥ 1", default: 1000, description: "Number of rows" },
    { name: "metric", type: "lcs | difflib", default: "lcs" },
  ],
  scores: [
    { name: "win", weight: 1, isGroup: false, range: [0, 1], description: "1 for a win" },
    { name: "penalty", weight: 0.5, isGroup: false, range: [-0.1, 0] },
    { name: "best", weight: 0, isGroup: true, description: "1 for the best" },
  ],
  tools: [{ name: "search", description: "Finds articles." }],
} as const;

test("the config table shows type, default and meaning; a bar does not end a cell", () => {
  expect(environmentTables["config"]?.(description)).toMatchInlineSnapshot(`
    "| Option     | Type             | Default | Meaning        |
    | ---------- | ---------------- | ------- | -------------- |
    | \`examples\` | whole number ≥ 1 | \`1000\`  | Number of rows |
    | \`metric\`   | lcs \\| difflib   | \`"lcs"\` |                |"
  `);
});

test("states that an environment does not have options", () => {
  expect(environmentTables["config"]?.({ ...description, config: [] })).toBe(
    "There are no options.",
  );
});

test("the score table shows weight and range, and marks group scores", () => {
  expect(environmentTables["scores"]?.(description)).toMatchInlineSnapshot(`
    "| Score     | Weight | Range     | Value                       |
    | --------- | ------ | --------- | --------------------------- |
    | \`win\`     | 1      | 0 to 1    | 1 for a win                 |
    | \`penalty\` | 0.5    | −0.1 to 0 |                             |
    | \`best\`    | 0      |           | 1 for the best (of a group) |"
  `);
});

test("the tool table shows the description for the model", () => {
  expect(environmentTables["tools"]?.(description)).toContain("| `search` | Finds articles.");
});
