import { liveLines } from "@envs/cli/kit/layout";
import { describe, expect, test } from "vitest";

import { trainingProgress } from "../../../src/commands/training/dashboard.ts";
import type { TrainingView } from "../../../src/commands/training/training-view.ts";
import type { MetricsRow } from "../../../src/report/metrics.ts";

const colors = new RegExp(String.raw`\u001B\[[\d;]*m`, "g");
const signs = new RegExp(
  String.raw`\u001B\[\?2026[hl]|\u001B\[(\d+)A|\u001B\[[KJ]|[\r\n]|[^\u001B\r\n]+`,
  "g",
);

/** A stream that keeps its output, and shows it as a terminal does. */
class FakeStream {
  readonly isTTY: boolean;
  readonly columns: number = 60;
  readonly rows: number = 20;
  written = "";

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): boolean {
    this.written += text.replaceAll(colors, "");
    return true;
  }

  get screen(): string[] {
    const screen: string[] = [];
    let row = 0;
    for (const [sign, up] of this.written.matchAll(signs)) {
      if (up !== undefined) row -= Number(up);
      else if (sign === "\n") row += 1;
      else if (sign === "\u001B[J") screen.length = row;
      else if (!sign.startsWith("\u001B") && sign !== "\r") screen[row] = sign;
    }
    return screen;
  }
}

function row(step: number, kind: "rl" | "eval" = "rl"): MetricsRow {
  const values = kind === "eval" ? { "random/win": step / 100 } : { reward: step };
  return { phase: "rl", step, kind, at: step, values };
}

function view(rows: readonly MetricsRow[], message?: string): TrainingView {
  const phases = [{ name: "rl", steps: 100 }];
  return {
    title: "game",
    phases,
    rows,
    seconds: 1,
    sinceRow: 0,
    ...(message === undefined ? {} : { message }),
  };
}

const hundred = Array.from({ length: 100 }, (_, index) => row(index + 1));

describe("trainingProgress without a terminal", () => {
  test("prints twenty lines per phase, and each evaluation and message once", () => {
    const stream = new FakeStream(false);
    const progress = trainingProgress({ stream });
    const rows = [row(0, "eval"), ...hundred, row(100, "eval")];
    for (let count = 1; count <= rows.length; count += 1)
      progress.show(view(rows.slice(0, count), count > 50 ? "saved" : undefined));
    progress.done();
    const lines = stream.written.split("\n").slice(0, -1);
    expect(lines.filter((line) => line.startsWith("rl") && line.includes("reward"))).toHaveLength(
      20,
    );
    expect(lines.filter((line) => line.includes("evaluation"))).toEqual([
      "rl 0 evaluation · random: win 0%",
      "rl 100 evaluation · random: win 100%",
    ]);
    expect(lines.filter((line) => line === "saved")).toHaveLength(1);
    expect(stream.written).not.toContain("\u001B");
  });

  test("does not repeat the rows of a resumed run", () => {
    const stream = new FakeStream(false);
    const progress = trainingProgress({ stream, shownRows: 90 });
    progress.show(view(hundred));
    expect(stream.written.match(/^rl \d+/gm)).toEqual(["rl 95", "rl 100"]);
  });
});

describe("trainingProgress in a terminal", () => {
  test("leaves the last state on the screen", () => {
    const stream = new FakeStream(true);
    const progress = trainingProgress({ stream });
    for (const count of [1, 2, 50, 100]) progress.show(view(hundred.slice(0, count)));
    progress.done();
    expect(stream.screen[0]).toBe("game · rl · step 100/100");
    expect(stream.screen.filter((line) => line.startsWith("game"))).toHaveLength(1);
  });

  test("clears previous lines if there are fewer", () => {
    const stream = new FakeStream(true);
    const live = liveLines(stream);
    live.draw(["one", "two", "three"]);
    live.draw(["four"]);
    expect(stream.screen).toEqual(["four"]);
    live.draw(["five", "six"]);
    live.done();
    live.draw(["seven"]);
    expect(stream.screen).toEqual(["five", "six", "seven"]);
  });

  test("redraws lines that a narrower terminal wrapped", () => {
    const stream = new FakeStream(true);
    const live = liveLines(stream);
    live.draw(["x".repeat(50), "y"]);
    Object.assign(stream, { columns: 20 });
    stream.written = "";
    live.draw(["z"]);
    expect(stream.written).toContain("\u001B[4A");
  });
});
