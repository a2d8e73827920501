import { trialReward } from "@envs/records";
import { describe, expect, test } from "vitest";

import { combineRewards, reaches, readRewards } from "../src/trial/rewards.ts";

const read = (json: string | undefined, text?: string) => readRewards({ json, text });

describe("the files of a grader", () => {
  test("reward.json comes before reward.txt, and a number alone is the reward", () => {
    expect(read('{"tests": 0.5, "lint": 1}', "0")).toEqual({ tests: 0.5, lint: 1 });
    expect(read("0.25")).toEqual({ reward: 0.25 });
    expect(read(undefined, " 1\n")).toEqual({ reward: 1 });
  });

  test.each([
    [undefined, undefined, "neither"],
    [undefined, "", "reward.txt"],
    [undefined, "nan", "reward.txt"],
    ["", undefined, "not JSON"],
    ["{}", "1", "finite numbers"],
    ["[1]", undefined, "finite numbers"],
    ['{"reward": NaN}', undefined, "finite numbers"],
    ['{"reward": "1"}', undefined, "finite numbers"],
  ])("%j and %j are an error, not a reward of 0", (json, text, problem) => {
    expect(() => readRewards({ json, text })).toThrow(problem);
  });
});

test("the reward is the one of that name, else the mean", () => {
  expect(trialReward({ reward: 1, style: 0 })).toBe(1);
  expect(trialReward({ tests: 1, style: 0 })).toBe(0.5);
});

test("the rewards of steps are their means, or those of the last", () => {
  const steps = [{ reward: 1, style: 1 }, { reward: 0 }];
  expect(combineRewards(steps, "mean")).toEqual({ reward: 0.5, style: 0.5 });
  expect(combineRewards(steps, "final")).toEqual({ reward: 0 });
});

test("a step that earned too little ends the task", () => {
  expect(reaches({ reward: 0.4 }, 0.5)).toBe(false);
  expect(reaches({ reward: 0.5 }, 0.5)).toBe(true);
  expect(reaches({ tests: 1 }, 0.5)).toBe(false);
  expect(reaches({ tests: 1, lint: 0 }, { tests: 1 })).toBe(true);
  expect(reaches({ tests: 0 }, undefined)).toBe(true);
});
