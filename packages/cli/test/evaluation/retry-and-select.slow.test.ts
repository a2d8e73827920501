import { findRuns } from "@envs/records/node";
import { expect, test } from "vitest";

import { envs, envsHere, temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";
import { cutRun, metadataOf } from "./letters.ts";

/** An environment with endless examples, whose score throws the first time for each odd example. */
const flaky = `
  dataset: function* () { for (let n = 0; ; n += 1) yield { prompt: String(n), id: "n" + n, n }; },
  rubric: {
    right({ example: { n } }) {
      const seen = globalThis.seen ??= new Set();
      if (n % 2 === 0 || seen.has(n)) return 1;
      seen.add(n);
      throw new Error("Judge is offline.");
    },
  },
  policies: { right: () => "7" },`;

test("envs eval plays selected examples, and failed rollouts again", async () => {
  const save = await temporaryFolder();
  const root = await environmentPackage(flaky);
  const options = ["-m", "policy:right", "-r", "1", "--save", save];
  const args = ["eval", root, ...options, "--select", "key=n2,4-5,7", "--retry", "score"];
  const { code, stdout, stderr } = await envs(args);
  expect(stderr).toContain("4 examples × 1 rollout");
  expect(stdout).toContain("4 scored, 0 failed");
  expect(stdout).toMatch(/retried +score 2/);
  expect(code).toBe(0);

  const [run = ""] = await findRuns(save);
  expect(await metadataOf(run)).toMatchObject({ select: "key=n2,4-5,7", retries: { score: 2 } });
  const viewed = await envsHere(["view", run, "--select", "example.n == 5", "--json"]);
  expect(JSON.parse(viewed.stdout)).toMatchObject({
    rollouts: [
      { example_key: "n5", attempts: 2, earlier_attempts: [{ error: { code: "score" } }] },
    ],
  });

  await cutRun(run, 2);
  const other = await envsHere(["eval", "--resume", run, "--select", "1-4"]);
  expect(other.stderr).toContain('--select is "1-4", but the run has "key=n2,4-5,7"');
  const resumed = await envs(["eval", "--resume", run, "--retry", "score,model:1"]);
  expect(resumed.stdout).toContain("4 scored, 0 failed");
});

test("envs eval rejects a missing example and an unknown code, before a run exists", async () => {
  const save = await temporaryFolder();
  const args = ["eval", await environmentPackage(flaky), "-m", "policy:right", "--save", save];
  const missing = await envsHere([...args, "--select", "1,key=m2"]);
  expect(missing.stderr).toMatch(/none of the \d+ examples has the key "m2"/);
  const unknown = await envsHere([...args, "--retry", "network:3"]);
  expect(unknown.stderr).toContain("Choose from model, agent, environment, tool, score, timeout");
  expect([missing.code, unknown.code]).toEqual([2, 2]);
  expect(await findRuns(save)).toEqual([]);
});
