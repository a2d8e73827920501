import { expect, test } from "vitest";

import { evaluationCells } from "../../src/node/stages.ts";
import { evaluationTables } from "../../src/report/evaluation-table.ts";

const figures = {
  "any position": { shares: { value: 0.992, invalid: 0 }, note: "36 misplays in 4520 positions" },
};

test("exact figures without an evaluation of their name become a row of the table", () => {
  const cells = evaluationCells({ phase: "sft", step: 7, results: [] }, figures);
  expect(cells).toMatchObject([
    { stage: "after sft", opponent: "any position", temperature: 0, games: 0 },
  ]);
  expect(evaluationTables(cells)).toMatchInlineSnapshot(`
    "### Temperature 0 (always the most probable token)

    | opponent | stage | % invalid | % value | games |
    | --- | --- | --: | --: | --: |
    | **any position** | after sft | *0* | *99.2* | *36 misplays in 4520 positions* |"
  `);
});

test("a stage without exact figures has only the cells of its evaluations", () => {
  expect(evaluationCells({ phase: "sft", step: 0, results: [] }, undefined)).toEqual([]);
});
