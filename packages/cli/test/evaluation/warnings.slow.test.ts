import { expect, test } from "vitest";

import { envs, envsHere, temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";

const counting = `
  respond: () => "turn " + (globalThis.turns = (globalThis.turns ?? 0) + 1),
  episode: { maxTurns: 2 },
  policies: { right: () => "7" },`;

test("envs eval reports shared state, a judge without a question and the name of the package", async () => {
  const packageJson = { name: "@you/guesses" };
  const root = await environmentPackage(counting, { packageJson });
  const save = await temporaryFolder();
  const run = ["eval", root, "-m", "policy:right", "-n", "1", "-r", "1", "--save", save];
  const { code, stderr } = await envs([...run, "--judge", "gpt-5-mini"], "", {
    OPENAI_API_KEY: "unused",
  });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('message 2 was "turn 1", then "turn 3"');
  expect(stderr).toContain("No score of guess asks a judge, so --judge has no effect.");
  expect(stderr).toContain("its package @you/guesses");
  const { stdout } = await envs([...run, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    warnings: [
      expect.stringContaining("its package @you/guesses"),
      expect.stringContaining("Rollouts of guess change each other"),
    ],
  });
});

test("envs eval reports in how many rollouts the sub-model ran out of its budget", async () => {
  const root = await environmentPackage(`
    subModel: { maxCalls: 1, policy: () => "yes" },
    async respond({ subModel }) { await subModel("a"); await subModel("b"); return end("done"); },
    policies: { right: () => "7" },`);
  const save = await temporaryFolder();
  const run = ["eval", root, "-m", "policy:right", "-n", "1", "-r", "2", "--save", save];
  expect((await envsHere(run)).stdout).toContain("sub-model budget used up in 2 rollouts");
  expect(JSON.parse((await envsHere([...run, "--json"])).stdout)).toHaveProperty(
    "sub_model_refusals",
    2,
  );
});
