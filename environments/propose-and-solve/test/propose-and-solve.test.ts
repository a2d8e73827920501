import { assistantMessage, evaluate, type Model, policy, rollout } from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import proposeAndSolve from "../src/index.ts";
import { usefulness } from "../src/solvers.ts";

const example = { id: "0", prompt: "Write a task with the number 7.", number: 7 };

/** A model that gives these replies, and remembers its requests. */
function says(...replies: readonly string[]) {
  const read: string[] = [];
  const model: Model = async ({ messages }) => {
    read.push(JSON.stringify(messages));
    return { message: assistantMessage(replies[read.length - 1] ?? ""), finish: "stop" };
  };
  return { model, read };
}

function play(tasks: readonly string[], ...answers: readonly string[]) {
  const proposer = says(...tasks.map((task) => `<task>${task}</task>`));
  const solvers = answers.map((answer) => says(`I say <answer>${answer}</answer>`));
  const model = {
    proposer: proposer.model,
    ...Object.fromEntries(solvers.map((each, index) => [`solver${index + 1}`, each.model])),
  };
  return { proposer, solvers, played: rollout(proposeAndSolve(), example, { model }) };
}

test("conforms", async () => {
  await checkEnvironment(proposeAndSolve, { packageName: "@envs/propose-and-solve" });
});

test.each([
  [["19", "19", "19", "19"], 0],
  [["19", "19", "19", "1"], 0.5],
  [["19", "2", "19", "1"], 1],
  [["19", "many", "", "1"], 0.5],
  [["0", "0", "0", "0"], 0],
])("rewards the proposer of a task with the answers %j by %d", async (answers, useful) => {
  const played = await play(["7 + 3 * 4"], ...answers).played;
  const right = answers.map((answer) => Number(answer === "19"));
  expect(played).toMatchObject({ seat: "proposer", reward: useful, scores: { right: null } });
  expect(Object.values(played.otherSeats!).map(({ reward }) => reward)).toEqual(right);
});

test("shows solvers the task only, and all of them at the same time", async () => {
  const { played, solvers } = play(["7 - 5"], "2", "3", "4", "5");
  await played;
  for (const { read } of solvers) {
    expect(read).toEqual([expect.stringContaining("7 - 5 = ?")]);
    expect(read[0]).not.toMatch(/Write a task|I say|half of them/);
  }
});

test.each([["5 + 5"], ["7"], ["7 + 1 + 1 + 1 + 1 + 1"], ["7 / 1"]])(
  "requests another task once instead of %j, then ends without solvers",
  async (task) => {
    const corrected = await play([task, "7 + 1"], "8", "8", "0", "0").played;
    expect(corrected).toMatchObject({ reward: 1, scores: { proposed: 1, solved: 0.5 } });
    const { played, solvers } = play([task, task], "8", "8", "8", "8");
    expect(await played).toMatchObject({ reward: 0, scores: { proposed: 0, solved: null } });
    expect(solvers.flatMap(({ read }) => read)).toEqual([]);
  },
);

test("a task of two operations is worth most with solvers who get three in ten wrong", async () => {
  const size = { examples: 200, rolloutsPerExample: 1 };
  const useful = async (proposer: Model) =>
    (await evaluate(proposeAndSolve(), { ...size, model: { proposer } })).reward.mean!;
  const [two, one] = await Promise.all([useful(policy("exact")), useful(policy("careless"))]);
  expect(two).toBeGreaterThan(one);
  expect(two).toBeCloseTo(0.625, 1);
});

test("usefulness is largest in the middle", () => {
  expect([0, 0.25, 0.5, 0.75, 1].map(usefulness)).toEqual([0, 0.5, 1, 0.5, 0]);
});
