import {
  assistantMessage,
  callTools,
  evaluate,
  type Model,
  policy,
  type Rollout,
} from "@envs/core";
import { docker } from "@envs/machine";
import { expect, test } from "vitest";

import { harbor } from "../src/index.ts";
import { image, socket, sumTask as sum } from "./support/sum-task.ts";
import { written } from "./written.ts";

const provider = docker({ socket });

/** Plays the only task of a folder once. */
async function play(
  files: Readonly<Record<string, string>>,
  model: Model | "oracle" | "nop",
  grade: "same" | "fresh" = "same",
): Promise<Rollout> {
  const environment = harbor(await written(files), { provider })({ grade });
  const { rollouts } = await evaluate(environment, {
    model: typeof model === "string" ? policy(model) : model,
    examples: 1,
    rolloutsPerExample: 1,
  });
  return rollouts[0]!;
}

/** A model that runs one command and stops. */
const runs = (command: string): Model => {
  const replies = [callTools([["bash", { command }]]), assistantMessage("Done.")];
  let turn = 0;
  return async () => ({ message: replies[turn++] ?? assistantMessage("Done."), finish: "stop" });
};

test("the oracle earns 1, the nop 0, and a model what it wrote", async () => {
  const feedback = { tests: '{"reward":1,"style":1}' };
  expect(await play(sum, "oracle")).toMatchObject({ status: "scored", reward: 1, feedback });
  expect(await play(sum, "nop")).toMatchObject({ reward: 0 });
  const rollout = await play(sum, runs("mkdir /app; echo 5 | tee /app/sum.txt; ls /tests; exit 3"));
  expect(rollout).toMatchObject({ reward: 1 });
  const result = rollout.completion.find(({ role }) => role === "tool");
  expect(result?.content).toMatch(/^5\n\n?ls: .*\/tests.*\n*\[exit code 3\]$/s);
});

test("a grader without a reward is a failed rollout with its log", async () => {
  const broken = { ...sum, "tests/test.sh": "echo broken; exit 2\n" };
  expect(await play(broken, "oracle")).toMatchObject({
    status: "failed",
    error: { code: "score", message: expect.stringMatching(/neither.*ended with 2:.*broken/s) },
  });
});

test("the steps of a task are graded one by one, and end where one earned too little", async () => {
  const steps = (least: number) => ({
    "task.toml": `[environment]\ndocker_image = "${image}"\n[[steps]]\nname = "one"\nmin_reward = ${least}\n[[steps]]\nname = "two"\n`,
    "steps/one/instruction.md": "First.",
    "steps/one/tests/test.sh": "echo 0.5 > /logs/verifier/reward.txt\n",
    "steps/one/solution/solve.sh": "touch /one\n",
    "steps/two/instruction.md": "Second.",
    "steps/two/workdir/setup.sh": "touch /two\n",
    "steps/two/tests/test.sh": "[ -f /one ] && [ -f /two ] && echo 1 > /logs/verifier/reward.txt\n",
    "steps/two/solution/solve.sh": "true\n",
  });
  const whole = await play(steps(0.5), "oracle");
  expect(whole).toMatchObject({ status: "scored", reward: 0.75 });
  expect(whole.completion.map(({ content }) => content)).toEqual(["Done.", "Second.", "Done."]);
  expect(await play(steps(0.6), "oracle")).toMatchObject({ status: "scored", reward: 0.5 });
});

test("a new machine has the declared artifacts of the agent's, and its tests", async () => {
  const task = { ...sum, "task.toml": `artifacts = ["/app"]\n${sum["task.toml"]}` };
  expect(await play(task, "oracle", "fresh")).toMatchObject({ reward: 1 });
});
