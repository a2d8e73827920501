import { describe, expect, test } from "vitest";

import { envsHere } from "../../../cli/test/command.ts";

const planted = ["train", "./packages/trainer/test/commands/fixtures/planted.ts", "--smoke"];

describe("envs train --smoke", () => {
  test("fails with an explanation for a constant reward", async () => {
    const { code, stdout, stderr } = await envsHere([...planted, "--defect", "constant"]);
    expect(code).toBe(1);
    const [verdict = ""] = stdout.split("\n\n");
    expect(verdict.replaceAll(/\s+/g, " ")).toBe(
      "✗ not learnable: every reward was 0.50, whatever the reply: policy:right, mixed up, scrambled, and padded earned the same.",
    );
    expect(stdout).toContain("Rewards of scripted replies");
    expect(stderr).toBe("playing the policies\n");
  });

  test.each([
    ["coin", "shuffled characters earn as much as policy:right"],
    ["inverted", "mixed up replies earn more than policy:right"],
    ["length", "The reward grows with the length of a reply"],
    ["off-by-one", "answers that are one larger earn more than policy:right"],
    ["format-only", "the reward pays for the form only"],
    ["leak", "the prompt shows the answer"],
    ["wrong-key", "Check that the expected answer belongs to its example"],
  ])("fails for the defect %s without training", async (defect, reason) => {
    const { code, stdout } = await envsHere([...planted, "--defect", defect, "--json"]);
    const report = JSON.parse(stdout) as { verdict: string; reason: string; learning: unknown };
    expect([code, report.verdict, report.learning]).toEqual([1, "not learnable", null]);
    expect(report.reason).toContain(reason);
  });

  test("prints the report as JSON", async () => {
    const args = [...planted, "--defect", "not-a-number", "--seed", "7", "--json"];
    const { code, stdout, stderr } = await envsHere(args);
    expect([code, stderr]).toEqual([1, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      environment: "planted",
      config: { defect: "not-a-number" },
      seed: 7,
      verdict: "not learnable",
      probes: [{ name: "policy:right", reward: null }, {}, {}, {}],
      failures: { message: expect.stringContaining("The score right is NaN") },
      learning: null,
    });
  });

  test("accepts the environment's options and rejects those of a recipe", async () => {
    const help = await envsHere([...planted, "--help"]);
    expect(help.stdout).toContain("--defect");
    const invalid = await envsHere([...planted, "--defect", "no"]);
    expect([invalid.code, invalid.stderr]).toEqual([2, expect.stringContaining("defect")]);
    const phases = await envsHere([...planted, "--phases", "sft"]);
    expect([phases.code, phases.stderr]).toEqual([2, expect.stringContaining("Remove --phases")]);
  });

  test("rejects the environment's options without --smoke", async () => {
    const { code, stderr } = await envsHere(["train", planted[1]!, "--defect", "none"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Unknown option --defect.");
  });

  test("rejects an environment with tools", async () => {
    const { code, stderr } = await envsHere(["train", "./environments/wiki-search", "--smoke"]);
    expect(code).toBe(2);
    expect(stderr).toContain("wiki-search has tools, and the tiny model cannot call any");
  });
});
