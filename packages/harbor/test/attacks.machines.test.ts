import { evaluate, policy } from "@envs/core";
import { docker } from "@envs/machine";
import { expect, test } from "vitest";

import { harbor } from "../src/index.ts";
import { attackedTask, solution } from "./support/attacked-task.ts";
import { type Attack, attacks, graders } from "./support/attacks.ts";
import { socket } from "./support/sum-task.ts";
import { written } from "./written.ts";

const honest: readonly Attack[] = graders.map((grader) => ({
  name: `the right answer, graded by ${grader}`,
  grader,
  script: solution,
  same: 1,
  fresh: 1,
  harbor: 1,
}));

/** What each of these earns, played in place of the solution. */
async function earned(played: readonly Attack[], grade: "same" | "fresh") {
  const files = played.map((attack, index) =>
    Object.entries(attackedTask(attack, String(index).padStart(2, "0"))).map(
      ([path, text]) => [`${String(index).padStart(2, "0")}/${path}`, text] as const,
    ),
  );
  const folder = await written(Object.fromEntries(files.flat()));
  const environment = harbor(folder, { provider: docker({ socket }) })({ grade });
  const { rollouts } = await evaluate(environment, {
    model: policy("oracle"),
    examples: Infinity,
    rolloutsPerExample: 1,
    concurrency: 3,
  });
  return Object.fromEntries(
    rollouts.map((rollout, index) => [
      played[index]!.name,
      rollout.status === "scored" ? rollout.reward : rollout.error.message,
    ]),
  );
}

const minutes = 60_000;

test(
  "after a restart only attacks on the files of the machine earn something",
  async () => {
    const played = [...attacks, ...honest];
    const expected = Object.fromEntries(played.map(({ name, same }) => [name, same]));
    expect(await earned(played, "same")).toEqual(expected);
  },
  25 * minutes,
);

test(
  "in a new machine only attacks in the declared artifacts earn something",
  async () => {
    const played = [...attacks.filter(({ same }) => same === 1), ...honest];
    const expected = Object.fromEntries(played.map(({ name, fresh }) => [name, fresh]));
    expect(await earned(played, "fresh")).toEqual(expected);
  },
  25 * minutes,
);
