import { assistantMessage, userMessage } from "@envs/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { playedRollout } from "../../../../cli/test/viewer/run.ts";
import { filterRollouts } from "../../../src/commands/export/filter-rollouts.ts";
import {
  countCharacters,
  createSynthReport,
  shareWithin,
  summarizeLengths,
} from "../../../src/commands/export/synth-report.ts";
import { synthReportJson, synthReportText } from "../../../src/commands/export/synth-text.ts";

const lengthArrays = fc.array(fc.nat(10_000), { minLength: 1 });

describe("summarizeLengths", () => {
  test("returns ordered statistics between the minimum and the maximum", () => {
    fc.assert(
      fc.property(lengthArrays, (values) => {
        const { min, median, mean, p95, max } = summarizeLengths(values)!;
        expect(min).toBe(Math.min(...values));
        expect(max).toBe(Math.max(...values));
        expect([min, median, p95, max]).toEqual([min, median, p95, max].toSorted((a, b) => a - b));
        expect(mean).toBeGreaterThanOrEqual(min - 1e-9);
        expect(mean).toBeLessThanOrEqual(max + 1e-9);
      }),
    );
  });

  test("returns a 95th percentile that covers at least 95 % of the values", () => {
    fc.assert(
      fc.property(lengthArrays, (values) => {
        expect(shareWithin(values, summarizeLengths(values)!.p95)).toBeGreaterThanOrEqual(0.95);
      }),
    );
  });

  test("returns undefined for an empty list", () => {
    expect(summarizeLengths([])).toBeUndefined();
  });

  test("counts the characters of reasoning and tool calls", () => {
    const call = {
      id: "1",
      type: "function",
      function: { name: "look", arguments: "{}" },
    } as const;
    const message = { ...assistantMessage("four"), reasoning_content: "ok", tool_calls: [call] };
    expect(countCharacters([userMessage("a cat"), message])).toBe(5 + 4 + 2 + 6);
  });
});

describe("createSynthReport", () => {
  const rollouts = [playedRollout(0, 1), playedRollout(1, 0.5), playedRollout(2, undefined)];
  const result = filterRollouts(rollouts, { clauses: [] });

  test("marks token counts as estimates", () => {
    const report = createSynthReport(rollouts, result, 3);
    expect(synthReportText(report)).toMatchInlineSnapshot(`
      "kept      2 of 3 rollouts
      excluded  1  failed

      lengths     min  median  mean  95%  max
      turns         1       1     1    1    1
      characters   16      16    16   16   16
      tokens ≈      4       4     4    4    4
      0% fit 3 tokens
      Tokens are estimated: one per four characters."
    `);
    expect(synthReportJson(report)).toMatchObject({
      rollouts: 3,
      kept: 2,
      left_out: { failed: 1, truncated: 0, duplicate: 0 },
      tokens_are_estimated: true,
      share_that_fits: 0,
    });
  });

  test("omits lengths if no rollout is kept", () => {
    const empty = filterRollouts([], { clauses: [] });
    expect(synthReportText(createSynthReport([], empty, 4))).toBe("kept      0 of 0 rollouts");
  });
});
