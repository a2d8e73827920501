import { defineEnvironment, type Environment } from "@envs/core";
import { examples } from "@envs/core/engine";
import { expect, test } from "vitest";

import { probeRollouts } from "../../src/evaluation/probe-rollouts.ts";

async function probe(environment: Environment): Promise<string | undefined> {
  const first = await Array.fromAsync(examples(environment, { count: 2 }));
  const { signal } = new AbortController();
  return await probeRollouts(environment, first, { seed: 0, signal });
}

const words = [{ prompt: "a" }, { prompt: "b" }];

test("finds no fault in an environment whose state is its own", async () => {
  const counting = defineEnvironment({
    name: "counting",
    dataset: () => words,
    setup: () => ({ count: 0 }),
    respond: ({ state, random }) => `${(state.count += 1)} ${random.int(100)}`,
    episode: { maxTurns: 3 },
    rubric: { zero: () => 0 },
  });
  expect(await probe(counting())).toBe(undefined);
});

test("names the message that a counter of the module changes", async () => {
  let count = 0;
  const environment = defineEnvironment({
    name: "counting",
    dataset: () => words.slice(0, 1),
    respond: () => `turn ${(count += 1)}`,
    episode: { maxTurns: 2 },
    rubric: { zero: () => 0 },
  });
  expect(await probe(environment())).toContain('message 2 was "turn 1", then "turn 3"');
});

test("names the message that a variable for the present example changes", async () => {
  let present = "";
  const environment = defineEnvironment({
    name: "present",
    dataset: () => words,
    setup: ({ example }) => {
      present = example.prompt;
      return {};
    },
    respond: () => `example ${present}`,
    episode: { maxTurns: 2 },
    rubric: { zero: () => 0 },
  });
  expect(await probe(environment())).toContain('message 4 was "example a", then "example b"');
});

test("names the score that a list of earlier replies changes", async () => {
  const seen: string[] = [];
  const environment = defineEnvironment({
    name: "novelty",
    dataset: () => words,
    rubric: {
      fresh: ({ example }) => {
        const isNew = !seen.includes(example.prompt);
        seen.push(example.prompt);
        return isNew;
      },
    },
    policies: { same: () => "x" },
  });
  expect(await probe(environment())).toContain("fresh was 1, then 0");
});

test("finds no fault if rollouts fail", async () => {
  const failing = defineEnvironment({
    name: "failing",
    dataset: () => words,
    setup: () => {
      throw new Error("no server");
    },
    rubric: { zero: () => 0 },
  });
  expect(await probe(failing())).toBe(undefined);
});
