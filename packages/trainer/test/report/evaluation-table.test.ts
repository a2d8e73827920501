import * as fc from "fast-check";
import { expect, test } from "vitest";

import { evaluationTables, wilsonInterval } from "../../src/report/evaluation-table.ts";

test("wilsonInterval() ends where the observed share is 1.96 standard errors away", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (count, part) => {
        const hits = Math.round(part * count);
        for (const end of wilsonInterval(hits, count)) {
          const error = Math.sqrt((end * (1 - end)) / count);
          if (error > 0) expect(Math.abs(hits / count - end) / error).toBeCloseTo(1.96, 3);
          expect(end === 0 ? hits : end === 1 ? count - hits : 0).toBe(0);
        }
      },
    ),
  );
});

test("wilsonInterval() returns published values: 0 of 10 and 81 of 263 (Newcombe 1998)", () => {
  expect(wilsonInterval(0, 10)[1]).toBeCloseTo(0.2775, 4);
  const [low, high] = wilsonInterval(81, 263);
  expect(low).toBeCloseTo(0.2553, 4);
  expect(high).toBeCloseTo(0.3662, 4);
});

test("wilsonInterval() is 0 to 1 without observations", () => {
  expect(wilsonInterval(0, 0)).toEqual([0, 1]);
});

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
