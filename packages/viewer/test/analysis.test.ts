import { isReadable } from "@envs/records";
import { describe, expect, test } from "vitest";

import { compareRuns } from "../src/analysis/compare-runs.ts";
import { groupAdvantage, groupByExample } from "../src/analysis/groups.ts";
import { partsOf, selectRows } from "../src/analysis/select-rows.ts";
import { histogram } from "../src/analysis/statistics.ts";
import { RecordIndexer } from "../src/record/index-records.ts";
import { searchRollout } from "../src/record/search.ts";
import { viewRecord } from "../src/record/view-record.ts";
import type { RolloutRow } from "../src/run/run.ts";
import { episode, row } from "./records.ts";

/** Rows of examples with the rewards of their attempts. */
function rowsOf(
  rewards: Readonly<Record<string, readonly (number | null)[]>>,
): readonly RolloutRow[] {
  const indexer = new RecordIndexer();
  return Object.entries(rewards).flatMap(([example, attempts]) =>
    attempts.flatMap((reward, rollout_index) =>
      indexer.add(
        JSON.stringify({
          ...row,
          example_id: Number(example),
          example_key: `k${example}`,
          rollout_index,
          reward,
          metrics: { win: reward === null ? null : Number(reward > 0) },
        }),
      ),
    ),
  );
}

describe("the index of a run", () => {
  test("summarizes a rollout without its messages", () => {
    expect(new RecordIndexer().add(JSON.stringify(row), [0, 10])).toEqual([
      {
        id: "7-1",
        example: "7",
        key: "k7",
        rollout: 1,
        range: [0, 10],
        status: "scored",
        reward: 1.2,
        scores: { exact: 1, calls: 2 },
        turns: 2,
        inputTokens: 30,
        outputTokens: 12,
        cost: null,
        seconds: 2.75,
        ending: "end",
        isTruncated: false,
        isFiltered: false,
        preview: "<answer>Ada</answer>",
      },
    ]);
  });

  test("counts the attempts of records without a number, and separates examples of equal numbers", () => {
    const indexer = new RecordIndexer();
    const ids = ["a", "a", "b"].map((key) => {
      const { rollout_index: _, ...other } = row;
      return indexer.add(JSON.stringify({ ...other, example_key: key }))[0]!.id;
    });
    expect(ids).toEqual(["7-0", "7-1", "7-0~2"]);
  });

  test("gives a record that was written again the id of the first", () => {
    const indexer = new RecordIndexer();
    const ids = [1, 2].map(() => indexer.add(JSON.stringify(row))[0]!.id);
    expect(ids).toEqual(["7-1", "7-1"]);
  });

  test("makes ids that an address can contain", () => {
    const [first] = new RecordIndexer().add(
      JSON.stringify({ ...episode, traces: [{ ...episode.traces[0], task: { key: "../ä b/#" } }] }),
    );
    expect(first!.id).toMatch(/^[\w.~-]+$/u);
  });

  test("has a broken row for a line that is not a rollout", () => {
    expect(new RecordIndexer().add("{", [5, 1])).toMatchObject([
      { id: "broken-1", status: "broken", range: [5, 1], preview: expect.stringMatching(/cut/) },
    ]);
  });
});

describe("selection", () => {
  const rows = rowsOf({ 0: [1, 0], 1: [null, 0.5] });
  const all = { where: "", status: "", part: "", sort: "", ids: undefined };
  const ids = (selected: readonly RolloutRow[]) => selected.map(({ id }) => id);

  test("filters with an expression over fields and scores", () => {
    expect(ids(selectRows(rows, ["win"], { ...all, where: "win == 1 && reward < 1" }))).toEqual([
      "1-1",
    ]);
  });

  test("selects the rollouts of a part of a mix, by its name or an expression", () => {
    const indexer = new RecordIndexer();
    const mixed = ["tictactoe", "games/wordle"].flatMap((part, index) =>
      indexer.add(JSON.stringify({ ...row, example_id: index, example_key: `${part}/1`, part })),
    );
    expect(partsOf(mixed)).toEqual(["games/wordle", "tictactoe"]);
    expect(ids(selectRows(mixed, [], { ...all, part: "tictactoe" }))).toEqual(["0-1"]);
    const where = 'part == "games/wordle"';
    expect(ids(selectRows(mixed, [], { ...all, where }))).toEqual(["1-1"]);
    expect(() => selectRows(mixed, [], { ...all, where: "part == wordle" })).toThrow(
      /Values: games\/wordle, tictactoe/,
    );
  });

  test("puts rows without a value last in both directions", () => {
    expect(ids(selectRows(rows, [], { ...all, sort: "reward" }))).toEqual([
      "0-1",
      "1-1",
      "0-0",
      "1-0",
    ]);
    expect(ids(selectRows(rows, [], { ...all, sort: "-reward" }))).toEqual([
      "0-0",
      "1-1",
      "0-1",
      "1-0",
    ]);
  });

  test("reports the position of a mistake in the expression", () => {
    expect(() => selectRows(rows, ["win"], { ...all, where: "wim > 0" })).toThrow(
      /Did you mean win/,
    );
  });
});

describe("groups", () => {
  test("have the variance of the scored attempts, and an advantage over the group's mean", () => {
    const [group] = groupByExample(rowsOf({ 3: [1, 0, null] }), 0.5);
    expect(group).toMatchObject({ mean: 0.5, deviation: 0.5, passed: 1, scored: 2 });
    expect(groupAdvantage(group!, group!.rows[1]!)).toBe(-0.5);
  });

  test("have no advantage with one scored attempt", () => {
    const [group] = groupByExample(rowsOf({ 3: [1, null] }), 0.5);
    expect(groupAdvantage(group!, group!.rows[0]!)).toBeUndefined();
  });
});

describe("a comparison", () => {
  const first = rowsOf({ 0: [1, 1], 1: [0, 1], 2: [0], 3: [1] });
  const second = rowsOf({ 0: [0, 0], 1: [1, 0], 2: [1], 4: [1] });

  test("pairs examples and puts the greatest regression first", () => {
    const { pairs, worse, better, equal, only, difference } = compareRuns(first, second, "reward");
    expect(pairs.map((pair) => [pair.example, pair.difference])).toEqual([
      ["0", -1],
      ["1", 0],
      ["2", 1],
    ]);
    expect({ worse, better, equal, only, difference }).toEqual({
      worse: 1,
      better: 1,
      equal: 1,
      only: [1, 1],
      difference: 0,
    });
  });

  test("compares a named score", () => {
    expect(compareRuns(first, second, "win").pairs[0]).toMatchObject({
      example: "0",
      difference: -1,
    });
  });
});

test("a histogram counts every value once, also in 20 bins", () => {
  const values = Array.from({ length: 200 }, (_, index) => index / 7);
  const bins = histogram([values, [0, 199 / 7]]);
  expect(bins).toHaveLength(20);
  expect(bins.reduce((sum, { counts }) => sum + counts[0]!, 0)).toBe(200);
  expect(bins.reduce((sum, { counts }) => sum + counts[1]!, 0)).toBe(2);
});

test("a search finds text in replies, thoughts, tool calls and tool results", () => {
  const read = viewRecord(JSON.stringify(row));
  if (!isReadable(read)) throw new Error(read.problem);
  const matched = (query: string) =>
    [...searchRollout(read[0]!, "7-1", query)].map(({ message }) => message);
  expect(matched("search")).toEqual([0, 2]);
  expect(matched("ada")).toEqual([3, 4]);
  expect(matched('"query"')).toEqual([2]);
});
