import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { chartsOf } from "../../src/report/charts.ts";
import type { MetricsRow } from "../../src/report/metrics.ts";
import { plots } from "../../src/report/plots.ts";
import { svgToPng } from "../../src/report/png.ts";
import { demoMetrics } from "./fixtures/demo.ts";

const demo = demoMetrics(1);

/** resvg rejects XML that is not well-formed. */
async function expectDrawable(svg: string): Promise<void> {
  const png = await svgToPng(svg, 0.25);
  expect([...png.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
}

const value = fc.oneof(
  fc.double({ min: -1e100, max: 1e100, noNaN: true }),
  fc.constantFrom(0, 1, -1, null, 1e-300, 1e100),
);
const name = fc.oneof(
  fc.constantFrom(
    "reward",
    "zeroVariance",
    "loss",
    "gradientNorm",
    "learningRate",
    "clipFraction",
    "tokensPerSecond",
    "cost",
    "score/win",
    "random/win",
    "a/b/draw",
    "random/reward",
    "/",
    "toString",
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
);
const rows: fc.Arbitrary<MetricsRow[]> = fc.array(
  fc.record({
    phase: fc.constantFrom("sft", "rl", 'rl <2> & "more"', "\u0000\uD800"),
    step: fc.nat(400),
    kind: fc.constantFrom("sft", "rl", "eval"),
    at: fc.nat(),
    values: fc.dictionary(name, value, { maxKeys: 5 }),
  }),
  { maxLength: 40 },
);

/** 0 and −0 are drawn at the same place, and sort as equals. */
const sorted = (values: readonly number[]): readonly number[] =>
  values.map((each) => each + 0).toSorted();

test("chartsOf() includes every measured value", () => {
  fc.assert(
    fc.property(rows, (rows) => {
      const drawn = chartsOf(rows).flatMap(({ curves }) =>
        curves.flatMap(({ points }) => points.flatMap(({ y }) => (y === null ? [] : [y]))),
      );
      const measured = rows.flatMap(({ values }) =>
        Object.values(values).filter((value) => value !== null),
      );
      expect(sorted(drawn)).toEqual(sorted(measured));
    }),
  );
});

test("plots() returns well-formed images with unique file names for any metrics", async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (rows) => {
      const images = plots(rows, "<run> & \u0007");
      const files = images.map(({ file }) => file);
      expect(new Set(files).size).toBe(files.length);
      for (const file of files) expect(file).toMatch(/^[\p{L}\p{N}-]+$/u);
      for (const { svg } of images) expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      await expectDrawable(images[0]!.svg);
    }),
    { numRuns: 30 },
  );
});

describe("plots() of the demo run", () => {
  const images = plots(demo, "demo");

  test("include an overview and an image per chart", () => {
    const charts = chartsOf(demo);
    expect(images.map(({ file }) => file)).toEqual(["overview", ...charts.map(({ file }) => file)]);
    expect(charts.map(({ file, curves }) => [file, ...curves.map(({ name }) => name)].join(" ")))
      .toMatchInlineSnapshot(`
      [
        "reward training",
        "score-win training",
        "score-format training",
        "score-invalid-move training",
        "zero-variance training",
        "evaluation-random win draw loss format invalid",
        "evaluation-optimal win draw loss format invalid",
        "length training",
        "turns training",
        "entropy training",
        "sft-loss training",
        "gradient-norm training",
        "learning-rate training",
        "rl-loss training",
        "clip-fraction training",
        "kl training",
        "tokens-per-second training",
        "games-per-second training",
      ]
    `);
  });

  test("are valid SVG", async () => {
    for (const { svg } of images) await expectDrawable(svg);
  });

  test("are equal each time", () => {
    expect(plots(demo, "demo")).toEqual(images);
  });

  test("label the start of each phase", () => {
    const reward = images.find(({ file }) => file === "reward")!.svg;
    expect(reward).toContain(">rl</text>");
    expect(reward).toContain(">rl2</text>");
    expect(reward).not.toContain(">sft</text>");
    expect(reward.match(/stroke-dasharray/g)).toHaveLength(1);
  });
});

test("plots() returns an empty overview for a run without rows", async () => {
  const images = plots([], "nothing yet");
  expect(images.map(({ file }) => file)).toEqual(["overview"]);
  await expectDrawable(images[0]!.svg);
});

test("svgToPng() draws text with the bundled font", async () => {
  const svg = (text: string): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="20"><text y="15" font-family="Public Sans, sans-serif">${text}</text></svg>`;
  const [empty, written] = await Promise.all([svgToPng(svg("")), svgToPng(svg("reward 0.5"))]);
  expect(written.length).toBeGreaterThan(empty.length * 2);
});
