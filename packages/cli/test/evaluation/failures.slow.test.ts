import { findRuns } from "@envs/records/node";
import { expect, test } from "vitest";

import { envsHere, temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";

/** An environment whose score throws an error with the number of the example. */
const failing = `
  dataset: () => [{ prompt: "0" }, { prompt: "1" }],
  rubric: { right({ example }) { throw new Error("Judge " + example.prompt + " is offline."); } },
  policies: { right: () => "7" },`;

test("a run of failures names their reason, and how to see them", async () => {
  const save = await temporaryFolder();
  const args = [await environmentPackage(failing), "-m", "policy:right", "-r", "2", "-c", "1"];
  const { code, stdout } = await envsHere(["eval", ...args, "--save", save]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/4 × score {2}.*Judge 0 is offline\. \(example 0, rollout 0\)/);
  const [run = ""] = await findRuns(save);
  const [, where = ""] = /envs view \S+ --where '(.*)'/.exec(stdout) ?? [];
  const one = await envsHere(["view", run, "--where", where]);
  expect(one.stdout).toContain("rollout 1 of 1");
  expect(one.stdout).toContain("Judge 0 is offline.");
  expect(stdout).toContain("--failed");

  const json = { code: "score", count: 4, example_id: 0, rollout_index: 0 };
  const viewed = await envsHere(["view", run, "--json"]);
  expect(JSON.parse(viewed.stdout)).toMatchObject({
    metadata: { failure_reasons: [json] },
    summary: { failure_reasons: [json] },
  });
});

test("envs synth names the reason if no rollout was scored", async () => {
  const save = await temporaryFolder();
  const args = [await environmentPackage(failing), "-m", "policy:right", "--save", save];
  const played = await envsHere(["synth", ...args]);
  expect(played.stdout).toContain("Judge 0 is offline.");
  const [run = ""] = await findRuns(save);
  const saved = await envsHere(["synth", run]);
  expect(saved.stdout).toContain("2 × score");
  const { stdout } = await envsHere(["synth", run, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ failure_reasons: [{ code: "score", count: 2 }] });
});
