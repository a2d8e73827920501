import * as fc from "fast-check";
import { expect, test } from "vitest";

import { trainingMarkdown } from "../../src/report/markdown.ts";
import { fenced } from "../../src/report/markup.ts";
import { demoReport } from "./fixtures/demo-report.ts";

test("a report says what was done, what came of it and how to do it again", async () => {
  const report = trainingMarkdown(
    demoReport({ warnings: ["rl2: the entropy fell from 0.6 to 0.02 nats per token."] }),
  );
  await expect(report).toMatchFileSnapshot("fixtures/demo-report.md");
});

test("a run that was stopped at once has a report", () => {
  const report = trainingMarkdown(
    demoReport({ phases: [], evaluations: [], curves: [], rollouts: [], seconds: 2 }),
  );
  expect(report).toMatchInlineSnapshot(`
    "# tictactoe · demo run

    tiny:base, 103,040 parameters, trained on **tictactoe** · 0 steps in 0 phases · 2 s · seed 7.

    ## How it was made

    \`\`\`sh
    envs train tictactoe --config train.config.ts --seed 7
    \`\`\`

    Config of tictactoe:

    \`\`\`json
    {
      "minRandomMoveProb": 0.2,
      "maxTurns": 7
    }
    \`\`\`

    |  | version |
    | --- | --- |
    | @envs/trainer | 0.0.0 |
    | node | 24.0.0 |
    | machine | 2 cores |
    "
  `);
});

test("what a model wrote does not break out of its block", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("`", "\n", "a", "#") }), (text) => {
      const [first, ...rest] = fenced(text).split("\n");
      const fence = first!.replace("text", "");
      expect(rest.slice(0, -1).every((line) => !line.startsWith(fence))).toBe(true);
      expect(rest.at(-1)).toBe(fence);
    }),
  );
});

test("a name does not break its table", () => {
  const report = trainingMarkdown(
    demoReport({
      evaluations: [
        { stage: "a|b\n# c", opponent: "<b>*x*", temperature: 1, games: 0, counts: { win: 0 } },
      ],
    }),
  );
  expect(report).toContain(String.raw`| **&lt;b>\*x\*** | a\|b \# c | – | 0 |`);
});

test("a share that is not quite 100 % is not said to be", () => {
  const report = trainingMarkdown(demoReport());
  expect(report).toContain("*> 99.99*");
  expect(report).toContain("*< 0.01*");
});
