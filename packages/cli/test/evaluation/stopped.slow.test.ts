import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { findRuns } from "@envs/records/node";
import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";
import { evaluated, lettersPackage, metadataOf, promptsOf } from "./letters.ts";

const bin = join(import.meta.dirname, "../../src/bin.ts");
const policies = `policies: { right: () => "7" },`;

test("a full disk stops the run, keeps its rows, and lets it resume", async () => {
  const [root, save] = [await lettersPackage(), await temporaryFolder()];
  const args = ["eval", root, "-m", "policy:right", "-r", "20", "-c", "4", "--save", save];
  // The shell's limit on file sizes, in KiB, simulates a full disk.
  const limited = `ulimit -f 16; exec "$0" "$@"`;
  const { stderr } = await promisify(execFile)(
    "bash",
    ["-c", limited, process.execPath, bin, ...args],
    { env: { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: "" } },
  ).catch((error: unknown) => error as { stderr: string });
  const [run = ""] = await findRuns(save);
  expect(stderr).toContain(`Cannot write ${join(run, "results.jsonl")}: `);
  expect(stderr).toMatch(/(\d+) rollouts are saved\..* envs eval --resume /);
  expect(stderr).not.toContain("bug in envs");
  const saved = (await promptsOf(run)).length;
  expect(Number(/(\d+) rollouts are saved/.exec(stderr)?.[1])).toBe(saved);
  expect(await metadataOf(run)).toMatchObject({ is_complete: false });

  const { stderr: resumed, stdout } = await envs(["eval", "--resume", run]);
  expect(resumed).toContain(`resuming after ${saved} rollouts`);
  expect(stdout).toContain("80 scored, 0 failed");
});

test("a dataset that throws after some examples stops the run and keeps its rollouts", async () => {
  const rows = `*dataset() { yield { prompt: "a" }; yield { prompt: "b" }; throw new Error("Row 3 is torn."); },`;
  const save = await temporaryFolder();
  const args = ["-m", "policy:right", "-r", "1", "--save", save];
  const { code, stderr } = await envs(["eval", await environmentPackage(rows + policies), ...args]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "the dataset: Row 3 is torn.\nThe run has stopped. 2 rollouts are saved.",
  );
  expect(stderr).not.toMatch(/^ +at /m);
});

test("all examples of a dataset without an end are rejected before a run exists", async () => {
  const root = await environmentPackage(
    `*dataset() { for (let index = 0; ; index += 1) yield { prompt: String(index) }; }, ${policies}`,
  );
  const save = await temporaryFolder();
  const args = ["-m", "policy:right", "-r", "1", "--save", save];
  const { code, stderr } = await envs(["eval", root, ...args, "-n", "all"]);
  expect(code).toBe(2);
  expect(stderr).toContain("has more than 100000 examples, or does not end");
  expect(await findRuns(save)).toEqual([]);
  expect(await evaluated([root, "-n", "2", "--save", save])).toContain(save);
});

test("envs synth rejects an output file that it cannot write before it plays", async () => {
  const save = await temporaryFolder();
  await writeFile(join(save, "file"), "");
  const args = ["synth", await lettersPackage(), "-m", "policy:right", "--save", save];
  const below = await envs([...args, "-o", join(save, "file/chats.jsonl")]);
  expect(below.stderr).toContain(`Cannot create the folder ${join(save, "file")}`);
  const folder = await envs([...args, "-o", save]);
  expect(folder.stderr).toContain(`Cannot write ${save}: it is a folder.`);
  expect(await findRuns(save)).toEqual([]);
});
