import { join } from "node:path";

import { expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../../command.ts";

const job = join(import.meta.dirname, "../../../../records/test/fixtures/harbor-job");

test("envs run import saves a job of Harbor as a run that envs view shows", async () => {
  const save = await temporaryFolder();
  const { code, stdout, stderr } = await envsHere(["run", "import", job, "--save", save, "--json"]);
  expect(code, stderr).toBe(0);
  const report = JSON.parse(stdout) as { readonly runs: readonly { readonly path: string }[] };
  expect(report).toMatchObject({
    runs: [{ environment: "arithmetic", model: "terminus-2@acme/small", rollouts: 4, failed: 1 }],
    problems: [],
  });
  const viewed = await envsHere(["view", report.runs[0]!.path, "--where", "reward < 1", "--json"]);
  expect(JSON.parse(viewed.stdout)).toMatchObject({
    metadata: { num_examples: 1, rollouts_per_example: 4, is_complete: true },
    summary: { counts: { scored: 3, failed: 1 } },
    rollouts: [{ reward: 0.5, stop_condition: "AgentTimeoutError" }, { reward: 0.5 }],
  });
  const again = await envsHere(["run", "import", job, "--save", save]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("--again") });
});

test("envs run import rejects a path without trials, and writes nothing", async () => {
  const save = await temporaryFolder();
  const { code, stderr } = await envsHere(["run", "import", save, "--save", save]);
  expect(code).toBe(1);
  expect(stderr).toContain("contains no trial of Harbor and no trajectory in ATIF");
});
