import { expect, test } from "vitest";

import { beginnerMoves } from "../src/teacher.ts";

test.each([
  ["completes a row rather than block one", "XX.OO....", [2]],
  ["blocks a row", "XO..O....", [7]],
  ["blocks either of two rows", "O.OX.XOX.", [4]],
  ["else takes any free cell", "X...O....", [1, 2, 3, 5, 6, 7, 8]],
])("a beginner %s", (_, board, cells) => {
  expect(beginnerMoves(board)).toEqual(cells);
});
