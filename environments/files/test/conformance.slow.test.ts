import { evaluate, policy } from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import files from "../src/index.ts";

// Each rollout starts a server.
test("passes the conformance suite", async () => {
  await checkEnvironment(files, { packageName: packageJson.name, fullReward: 1, examples: 1 });
});

test("rewards the oracle for every kind of task, and no cheat", async () => {
  const play = async (name: string, count: number) => {
    const { reward, scores, tools } = await evaluate(files(), {
      model: policy(name),
      examples: count,
      rolloutsPerExample: 1,
    });
    return { reward: reward.mean, progress: scores.progress.mean, damage: scores.damage, tools };
  };
  const oracle = await play("oracle", 8);
  expect(oracle).toMatchObject({ reward: 1, damage: { max: 0 } });
  expect(oracle.tools).toMatchObject({ directory_tree: { calls: 8, errors: 0 } });
  for (const [cheat, damage] of Object.entries({ lazy: 0, wipe: 12, scatter: 7 })) {
    const result = await play(cheat, 3);
    expect(result).toMatchObject({ reward: 0, progress: 0 });
    expect(result.damage.min).toBeGreaterThanOrEqual(damage);
  }
});
