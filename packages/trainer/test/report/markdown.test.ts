import * as fc from "fast-check";
import { expect, test } from "vitest";

import { codeBlock } from "../../src/report/markdown-elements.ts";
import { trainingMarkdown } from "../../src/report/markdown.ts";
import { demoReport } from "./fixtures/demo-report.ts";

test("trainingMarkdown() formats a complete report", async () => {
  const report = trainingMarkdown(
    demoReport({ warnings: ["rl2: the entropy fell from 0.6 to 0.02 nats per token."] }),
  );
  await expect(report).toMatchFileSnapshot("fixtures/demo-report.md");
});

test("trainingMarkdown() formats a run without steps", () => {
  const report = trainingMarkdown(
    demoReport({ phases: [], evaluations: [], curves: [], rollouts: [], seconds: 2 }),
  );
  expect(report).toMatchInlineSnapshot(`
    "# tictactoe · demo run

    tiny:base, 103,040 parameters, trained on **tictactoe** · 0 steps in 0 phases · 2 s · seed 7.

    ## How to reproduce

    \`\`\`sh
    envs train tictactoe --config train.config.ts --seed 7
    \`\`\`

    |  | version |
    | --- | --- |
    | @envs/trainer | 0.0.0 |
    | node | 24.0.0 |
    | machine | 2 cores |
    "
  `);
});

test("codeBlock() contains any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("`", "\n", "a", "#") }), (text) => {
      const [first, ...rest] = codeBlock(text).split("\n");
      const fence = first!.replace("text", "");
      expect(rest.slice(0, -1).every((line) => !line.startsWith(fence))).toBe(true);
      expect(rest.at(-1)).toBe(fence);
    }),
  );
});

test("trainingMarkdown() escapes names in tables", () => {
  const report = trainingMarkdown(
    demoReport({
      evaluations: [
        { stage: "a|b\n# c", opponent: "<b>*x*", temperature: 1, games: 0, counts: { win: 0 } },
      ],
    }),
  );
  expect(report).toContain(String.raw`| **&lt;b>\*x\*** | a\|b \# c | – | 0 |`);
});

test("trainingMarkdown() does not round exact shares to 0 or 100 %", () => {
  const report = trainingMarkdown(demoReport());
  expect(report).toContain("*> 99.99*");
  expect(report).toContain("*< 0.01*");
});
