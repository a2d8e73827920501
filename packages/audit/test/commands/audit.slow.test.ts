import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { envs, envsHere, temporaryFolder } from "../../../cli/test/command.ts";

const fixtures = "./packages/audit/test/fixtures";

describe("envs audit", () => {
  test("exits with 0 and writes the page when nothing is found", async () => {
    const file = join(await temporaryFolder(), "audit.html");
    const args = ["audit", "./packages/audit/test/sound.ts", "--rules", "solvability,floor"];
    const { stdout, stderr, code } = await envs([...args, "--html", file]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(
      /✓ +solvability +12 examples.*\n✓ +floor .*\n\nNo findings in sound-sums\./,
    );
    expect(stderr).toContain("audit.html contains the report.");
    expect(await readFile(file, "utf8")).toContain("<h1>Audit of sound-sums</h1>");
  });

  test("exits with 0 when the author accepts the findings", async () => {
    const args = ["audit", "tictactoe", "--rules", "answer-in-thoughts"];
    const { stdout, code } = await envs(args);
    expect(stdout).toContain("1 finding in tictactoe, which the author accepts.");
    expect(code).toBe(0);
  });

  test("exits with 1 when something is found, and prints it as JSON", async () => {
    const environment = `${fixtures}/first-free-opponent.ts`;
    const args = ["audit", environment, "--rules", "opponent-bias", "--json"];
    const { stdout, code } = await envs(args);
    expect(JSON.parse(stdout)).toMatchObject({
      rules: [{ rule: "opponent-bias", state: "found" }],
      findings: [{ id: "opponent-bias:first" }],
    });
    expect(code).toBe(1);
  });

  test("shows the last reply to an environment that hangs", async () => {
    const environment = `${fixtures}/endless-loop.ts`;
    const args = ["audit", environment, "--finding", "long-reply:hang", "--time-limit", "2"];
    const { stdout, code } = await envs(args);
    expect(stdout).toMatch(
      /^#1 long-reply:hang medium\n.*did not answer for 2 seconds, so it was\s+killed\.[^]*\nthe last turn\n[^]*assistant\n +word word/,
    );
    expect(code).toBe(1);
  });

  test.each([
    [["audit", "./absent"], /absent/],
    [["audit"], /Missing environment\. Example: envs audit \.\/my-environment/],
    [["audit", "tictactoe", "--rules", "flor"], /"flor" is not a rule\. The rules are: solvab/],
    [["audit", "tictactoe", "--time-limit", "0"], /time-limit/],
  ])("exits with 2 for %j", async (args, message) => {
    const { stdout, stderr, code } = await envsHere(args);
    expect([stdout, stderr, code]).toEqual(["", expect.stringMatching(message), 2]);
  });
});
