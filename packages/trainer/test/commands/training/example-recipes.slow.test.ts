import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../../cli/test/command.ts";

/** The shares of exact replies in a final table, before the training and after it. */
function sharesIn(output: string, stage: string): readonly number[] {
  const [table = ""] = output.slice(output.indexOf(stage)).split("\n\n");
  return [...table.matchAll(/ ([\d.]+)%$/gmu)].map(([, percent]) => Number(percent) / 100);
}

test("two-digit-addition.config.ts teaches sums that training never shows", async () => {
  const recipe = "./packages/trainer/test/commands/fixtures/add-few-epochs.config.ts";
  const args = ["--config", recipe, "--quiet", "--save", await temporaryFolder()];
  const { code, stdout, stderr } = await envs([
    "train",
    "./examples/two-digit-addition.ts",
    ...args,
  ]);
  expect(code, stderr).toBe(0);
  const [before, after] = sharesIn(stdout, "held out");
  expect(before).toBe(0);
  // A guess is right once in 200 sums. All 14 epochs of the recipe reach 99.8 %.
  expect(after).toBeGreaterThan(0.2);
});
