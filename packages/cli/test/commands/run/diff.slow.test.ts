import { expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../command.ts";

test("envs run diff exits with 1 for a worse run, and prints JSON and Markdown", async () => {
  const save = await temporaryFolder();
  const play = async (policy: string): Promise<string> => {
    const options = ["-n", "20", "-r", "1", "--save", save, "--json"];
    const { stdout } = await envsHere([
      "eval",
      "double-check",
      "-m",
      `policy:${policy}`,
      ...options,
    ]);
    return (JSON.parse(stdout) as { readonly run: string }).run;
  };
  const [right, wrong] = [await play("solver"), await play("wavering")];
  const worse = await envsHere(["run", "diff", right, wrong]);
  expect(worse.code, worse.stderr).toBe(1);
  expect(worse.stdout).toContain("reward is worse: -1.000 to -1.000 on 20 examples");
  const better = await envsHere(["run", "diff", wrong, right, "--json"]);
  expect(better.code).toBe(0);
  expect(JSON.parse(better.stdout)).toMatchObject({ verdict: "better", isRegression: false });
  const same = await envsHere(["run", "diff", right, wrong, "--score", "firstRight", "--markdown"]);
  expect(same.code).toBe(0);
  expect(same.stdout).toMatch(/^### double-check: firstRight is no worse/);
});

test("envs run diff asks for two runs", async () => {
  const { code, stderr } = await envsHere(["run", "diff", "run"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Missing runs. Example: envs run diff");
});
