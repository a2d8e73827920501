import { expect, test } from "vitest";

import { evaluationTables } from "../../src/report/evaluation-table.ts";

test("evaluationTables() shows means outside 0 to 1 as they are, and shares in percent", () => {
  const cell = { temperature: 1, opponent: "random", counts: {}, games: 20 };
  const text = evaluationTables([
    { ...cell, stage: "before", means: { exact: 0.25, guesses: 7.25, chips: -0.5 } },
    { ...cell, stage: "after", means: { exact: 1, guesses: 0.5, chips: 0.125 } },
  ]);
  const [titles, , ...rows] = text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((part) => part.trim()));
  expect(titles).toContain("% exact");
  expect(titles).toContain("guesses");
  expect(titles).toContain("chips");
  expect(rows[0]?.slice(3, 6)).toEqual(["25", "7.25", "−0.5"]);
  expect(rows[1]?.slice(3, 6)).toEqual(["100", "0.5", "0.125"]);
});
