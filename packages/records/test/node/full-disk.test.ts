import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { readRun } from "@envs/records/node";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);

/** Appends rollouts of 2,000 characters until the system refuses one, then a short rollout. Prints the error. */
const writer = `
  import { createRun } from "@envs/records/node";
  import { parseRow } from "@envs/records";
  const metadata = { schema_version: 1, env_id: "a", env_args: {}, model: "m", num_examples: 1, rollouts_per_example: 1, sampling_args: {}, pass_threshold: 0.5 };
  const rollout = (length, index) => parseRow(JSON.stringify({ example_id: index, example_key: String(index), rollout_index: 0, prompt: "x".repeat(length), reward: 1 }));
  const run = await createRun(process.argv[1], metadata);
  try {
    for (let index = 0; ; index += 1) await run.append(rollout(2000, index));
  } catch (error) {
    console.log(error.name + ": " + error.message);
  }
  await run.append(rollout(1, -1));
  await run.close();
`;

test("a run on a full disk keeps its rows whole and names the reason", async () => {
  const path = await mkdtemp(join(tmpdir(), "envs-full-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  // The limit of the shell, in KiB, stands for the disk: the system writes a part of the row and refuses the rest.
  const command = `ulimit -f 16; exec "$0" --input-type=module -e "$1" "$2"`;
  const { stdout } = await run("bash", ["-c", command, process.execPath, writer, path], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, NODE_COMPILE_CACHE: "" },
  });
  expect(stdout).toContain(`WriteError: Cannot write ${join(path, "results.jsonl")}: the file`);
  const { rollouts, problems } = await readRun(path);
  expect(problems).toEqual([]);
  expect(rollouts.map(({ exampleKey }) => exampleKey)).toEqual([
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "-1",
  ]);
  expect(await readFile(join(path, "results.jsonl"), "utf8")).toMatch(/\}\n$/);
  expect(await readdir(path)).toEqual(["metadata.json", "results.jsonl"]);
});
