import { assistant, user } from "@envs/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { characters, lengthsOf, shareThatFits } from "../../src/export/conversation-lengths.ts";
import { sift } from "../../src/export/filter-rollouts.ts";
import { reportOf } from "../../src/export/synth-report.ts";
import { synthJson, synthReport } from "../../src/render/synth-report.ts";
import { playedRollout } from "../viewer/run.ts";

const sizes = fc.array(fc.nat(10_000), { minLength: 1 });

describe("lengths", () => {
  test("stand in order, between the least and the most", () => {
    fc.assert(
      fc.property(sizes, (values) => {
        const { min, median, mean, p95, max } = lengthsOf(values)!;
        expect(min).toBe(Math.min(...values));
        expect(max).toBe(Math.max(...values));
        expect([min, median, p95, max]).toEqual([min, median, p95, max].toSorted((a, b) => a - b));
        expect(mean).toBeGreaterThanOrEqual(min - 1e-9);
        expect(mean).toBeLessThanOrEqual(max + 1e-9);
      }),
    );
  });

  test("95 of 100 are at most the 95 % length", () => {
    fc.assert(
      fc.property(sizes, (values) => {
        expect(shareThatFits(values, lengthsOf(values)!.p95)).toBeGreaterThanOrEqual(0.95);
      }),
    );
  });

  test("of nothing there are none", () => {
    expect(lengthsOf([])).toBeUndefined();
  });

  test("characters count thoughts and tool calls too", () => {
    const call = {
      id: "1",
      type: "function",
      function: { name: "look", arguments: "{}" },
    } as const;
    const message = { ...assistant("four"), reasoning_content: "ok", tool_calls: [call] };
    expect(characters([user("a cat"), message])).toBe(5 + 4 + 2 + 6);
  });
});

describe("the report", () => {
  const rollouts = [playedRollout(0, 1), playedRollout(1, 0.5), playedRollout(2, undefined)];
  const sifted = sift(rollouts, { clauses: [], keepsTruncated: false, keepsDuplicates: false });

  test("counts tokens as it is told to", () => {
    const report = reportOf(rollouts, sifted, { count: () => 7, sequenceLength: 7 });
    expect(report.lengths.tokens).toEqual({ min: 7, median: 7, mean: 7, p95: 7, max: 7 });
    expect(report.fit).toEqual({ sequenceLength: 7, share: 1 });
    expect(synthReport(report)).not.toContain("estimated");
  });

  test("says what it is, and that tokens are an estimate", () => {
    const report = reportOf(rollouts, sifted, { sequenceLength: 3 });
    expect(synthReport(report)).toMatchInlineSnapshot(`
      "kept      2 of 3 rollouts
      left out  1  failed

      lengths     least  median  mean  95%  most
      turns           1       1     1    1     1
      characters     16      16    16   16    16
      tokens ≈        4       4     4    4     4
      0% fit 3 tokens
      Tokens are estimated: one for four characters."
    `);
    expect(synthJson(report)).toMatchObject({
      rollouts: 3,
      kept: 2,
      left_out: { failed: 1, truncated: 0, duplicate: 0 },
      tokens_are_estimated: true,
      share_that_fits: 0,
    });
  });

  test("of nothing kept shows no lengths", () => {
    const nothing = sift([], { clauses: [], keepsTruncated: false, keepsDuplicates: false });
    expect(synthReport(reportOf([], nothing, { sequenceLength: 4 }))).toBe(
      "kept      0 of 0 rollouts",
    );
  });
});
