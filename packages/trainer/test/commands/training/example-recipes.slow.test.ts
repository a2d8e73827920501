import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../../cli/test/command.ts";

/** Trains an example with its recipe, and returns the final evaluations by stage and metric, as shares. */
async function train(example: string): Promise<(stage: string, metric: string) => number> {
  const path = `./examples/${example}`;
  const save = ["--save", await temporaryFolder()];
  const { code, stdout, stderr } = await envs([
    "train",
    `${path}.ts`,
    "--config",
    `${path}.config.ts`,
    ...save,
  ]);
  expect(code, stderr).toBe(0);
  return (stage, metric) => {
    const table = stdout.split("\n\n").find((part) => part.trimStart().startsWith(stage)) ?? "";
    const [, titles = "", ...rows] = table.trimStart().split("\n");
    const column = titles.trim().split(/\s+/u).indexOf(metric) + 1;
    const last =
      rows
        .at(-1)
        ?.trim()
        .split(/\s{2,}/u) ?? [];
    return Number.parseFloat(last[column] ?? "") / 100;
  };
}

test("two-digit-addition.config.ts teaches sums that training never shows", async () => {
  const share = await train("two-digit-addition");
  expect(share("held out", "exact")).toBeGreaterThan(0.97);
}, 600_000);
