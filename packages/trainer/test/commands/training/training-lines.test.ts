import { stripVTControlCharacters } from "node:util";

import { widthOf } from "@envs/cli/kit/layout";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { evaluationLine } from "../../../src/commands/training/evaluation-line.ts";
import {
  trainingLine,
  trainingLines as paintedLines,
} from "../../../src/commands/training/training-lines.ts";
import type { TrainingView } from "../../../src/commands/training/training-view.ts";
import type { MetricsRow } from "../../../src/report/metrics.ts";

/** Colours depend on where the test runs. */
const trainingLines: typeof paintedLines = (view, size) =>
  paintedLines(view, size).map(stripVTControlCharacters);

const phases = [
  { name: "sft", steps: 10 },
  { name: "rl", steps: 40 },
];

/** A step every two seconds; the reward grows, and nothing is random. */
function rows(count: number): MetricsRow[] {
  return Array.from({ length: count }, (_, index): MetricsRow => {
    const at = 2 * (index + 1);
    if (index < 10)
      return { phase: "sft", step: index + 1, kind: "sft", at, values: { loss: 3 / (index + 1) } };
    const step = index - 9;
    const values = {
      gamesPerSecond: 312.4,
      tokensPerSecond: 38_200,
      kl: step === 3 ? null : step / 1000,
      entropy: 1 - step / 50,
      "score/win": step / 50,
      "score/format": 1,
      reward: 0.2 + step / 50,
      zeroVariance: 0.25,
      clipFraction: 0.01,
      length: 20 + step,
    };
    return { phase: "rl", step, kind: "rl", at, values };
  });
}

const evaluation: MetricsRow = {
  phase: "rl",
  step: 20,
  kind: "eval",
  at: 61,
  values: {
    "random/win": 0.903,
    "random/loss": 0.02,
    "optimal/win": 0,
    "optimal/loss": 0.1,
    reward: 1.1,
  },
};

function view(count: number, change: Partial<TrainingView> = {}): TrainingView {
  return {
    title: "tictactoe",
    phases,
    rows: rows(count),
    seconds: 2 * count,
    sinceRow: 0,
    ...change,
  };
}

describe("trainingLines", () => {
  test("shows progress, metrics and speed", () => {
    const lines = trainingLines(
      view(30, { rows: [...rows(30), evaluation], message: "kept 2 rollouts of step 20" }),
      { columns: 72, rows: 40 },
    );
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "tictactoe · rl (2 of 2) · step 20/40
      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━─────────────────────────────────  50%
      40 s left · 312 games/s · 38,200 tokens/s · 1 min 0 s elapsed

      reward         ▁▁▁▂▂▃▃▃▄▄▅▅▆▆▆▇▇███  0.26 → 0.56
      win            ▁▁▁▂▂▃▃▃▄▄▅▅▆▆▆▇▇███  0.06 → 0.36
      format         ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅  1 → 1
      length         ▁▁▁▂▂▃▃▃▄▄▅▅▆▆▆▇▇███  23 → 38
      entropy        ███▇▇▆▆▆▅▅▄▄▃▃▃▂▂▁▁▁  0.94 → 0.64
      clip fraction  ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅  0.01 → 0.01
      KL             ▁▁ ▂▂▃▃▃▄▄▅▅▆▆▆▇▇███  0.003 → 0.018
      zero variance  ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅  0.25 → 0.25

      evaluation at rl 20    win  loss
        random             90.3%    2%
        optimal               0%   10%
        reward 1.1

      kept 2 rollouts of step 20"
    `);
  });

  test("shows two columns of curves in a wide terminal", () => {
    const lines = trainingLines(view(30), { columns: 130, rows: 40 });
    expect(lines.find((line) => line.startsWith("reward"))).toMatch(/→ 0\.56 +entropy/);
  });

  test("shows the plan before the first step", () => {
    expect(trainingLines(view(0), { columns: 60, rows: 20 }).join("\n")).toMatchInlineSnapshot(`
      "tictactoe · sft (1 of 2) · step 0/10
      ──────────────────────────────────────────────────────   0%
      0 s elapsed"
    `);
  });

  test("drops the table's corner, then the first values, in a narrow terminal", () => {
    const lines = trainingLines(view(30, { rows: [...rows(30), evaluation] }), {
      columns: 34,
      rows: 40,
    });
    expect(lines.join("\n")).toMatchInlineSnapshot(`
      "tictactoe · rl (2 of 2) · step 2…
      ━━━━━━━━━━━━━━──────────────  50%
      40 s left · 312 games/s · 38,200…

      reward         ▁▂▃▄▅▆▇█  0.56
      win            ▁▂▃▄▅▆▇█  0.36
      format         ▅▅▅▅▅▅▅▅  1
      length         ▁▂▃▄▅▆▇█  38
      entropy        █▇▆▅▄▃▂▁  0.64
      clip fraction  ▅▅▅▅▅▅▅▅  0.01
      KL             ▁▂▃▄▅▆▇█  0.018
      zero variance  ▅▅▅▅▅▅▅▅  0.25

      evaluation at rl 20    win  loss
        random             90.3%    2%
        optimal               0%   10%
        reward 1.1"
    `);
  });

  test("keeps the reward and drops the evaluation in a low terminal", () => {
    const lines = trainingLines(view(30, { rows: [...rows(30), evaluation], message: "hello" }), {
      columns: 60,
      rows: 7,
    });
    expect(lines).toHaveLength(6);
    expect(lines.join("\n")).toContain("reward");
    expect(lines.at(-1)).toBe("hello");
  });

  test("fits the terminal's width and height for any metrics", () => {
    const value = fc.oneof(fc.double(), fc.constant(null));
    const name = fc.oneof(
      fc.constantFrom("reward", "score/win", "a/win", "kl"),
      fc.string({ unit: "binary", maxLength: 30 }),
    );
    const row = fc.record({
      phase: fc.constantFrom("sft", "rl", "漢字"),
      step: fc.nat(100),
      kind: fc.constantFrom("sft", "rl", "eval"),
      at: fc.nat(1000),
      values: fc.dictionary(name, value, { maxKeys: 4 }),
    });
    const size = fc.record({
      columns: fc.integer({ min: 20, max: 200 }),
      rows: fc.integer({ min: 4, max: 50 }),
    });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 30 }),
        size,
        fc.string({ unit: "binary" }),
        (rows, size, message) => {
          const lines = trainingLines({ ...view(0), rows: rows as MetricsRow[], message }, size);
          expect(lines.length).toBeLessThan(size.rows);
          for (const line of lines) {
            expect(widthOf(line)).toBeLessThan(size.columns);
            expect(line).not.toContain("\n");
          }
        },
      ),
    );
  });
});

describe("trainingLine", () => {
  test("formats a run as one line", () => {
    expect(trainingLine(view(30))).toBe(
      "rl 20/40 · 312 games/s · 38,200 tokens/s · 40 s left · reward 0.6 · win 0.4 · format 1 · length 40 · entropy 0.6 · clip fraction 0.01 · KL 0.02 · zero variance 0.25",
    );
  });

  test("names the phase of the time left, unless it is the last", () => {
    expect(trainingLine(view(5))).toBe("sft 5/10 · 10 s of sft left · loss 0.6");
  });

  test("subtracts the time since the last row from the time left", () => {
    expect(trainingLine(view(30, { sinceRow: 15 }))).toContain("25 s left");
    expect(trainingLine(view(30, { sinceRow: 999 }))).toContain("0 s left");
  });

  test("formats an evaluation as one line", () => {
    expect(evaluationLine(evaluation)).toBe(
      "rl 20 evaluation · random: win 90.3%, loss 2% · optimal: win 0%, loss 10% · reward 1.1",
    );
  });
});
