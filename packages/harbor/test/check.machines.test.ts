import { docker } from "@envs/machine";
import { expect, test } from "vitest";

import { checkTask } from "../src/check/check-task.ts";
import { readTask } from "../src/task/task.ts";
import { image, socket, sumTask } from "./support/sum-task.ts";
import { written } from "./written.ts";

const provider = docker({ socket });
const check = async (files: Readonly<Record<string, string>>) =>
  await checkTask(readTask(await written({ ...sumTask, ...files })), { provider });

test("accepts a task whose oracle earns 1 and whose nop earns 0, twice", async () => {
  expect(await check({})).toMatchObject({ oracle: [1, 1], nop: [0, 0], problems: [] });
});

test.each([
  [
    "an oracle that fails",
    { "solution/solve.sh": "echo tried; exit 4\n" },
    /^The oracle earned 0/,
    /solve.sh ended with 4/,
  ],
  [
    "a reward without work",
    { "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n" },
    /^The nop.* earned 1/,
    /"reward":1/,
  ],
  [
    "a verifier that crashes",
    { "tests/test.sh": "echo boom; exit 3\n" },
    /^The play of the oracle failed/,
    /ended with 3:\nboom/,
  ],
  [
    "rewards that differ",
    {
      // The second play of the day finds another second.
      "tests/test.sh": "echo $((10#$(date +%N | tail -c 4))) > /logs/verifier/reward.txt\n",
    },
    /^The oracle earned \d+, then \d+/,
    /"reward":/,
  ],
])("names %s, with the end of the log", async (_, files, problem, log) => {
  const { problems } = await check(files);
  expect(problems[0]).toMatchObject({
    problem: expect.stringMatching(problem) as string,
    log: expect.stringMatching(log) as string,
  });
});

test("does not play a task that the machine cannot run", async () => {
  const toml = `[environment]\ndocker_image = "${image}"\ngpus = 1\n`;
  expect(await check({ "task.toml": toml })).toMatchObject({
    obstacles: ["it needs a GPU"],
    oracle: [],
    problems: [],
  });
});
